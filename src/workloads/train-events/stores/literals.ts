export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function literals(texts: readonly string[]): string {
  return texts.map(literal).join(", ");
}
