// replaced at the merge
export const nodeFor = (_library: string, _directory: string): string => process.execPath;
