/** How an answer opens that does not answer. The execution is then `incomplete` with reason `not_found`. */
export const NO_ANSWER = 'I could not answer this'
