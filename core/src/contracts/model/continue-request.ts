/** Asks a model to carry on an answer that its output limit cut. */
export const CONTINUE_REQUEST =
  'Your answer reached the output limit and was cut there. Continue exactly where you stopped.'
