/** Collection of a namespace with train-sim's mark and the claim of the run that works there. */
export const STATE_COLLECTION = "train_sim";
