/**
 * An answer that a tap has at hand, where it may also have to wait for one: the runtime takes either from any tap, and
 * makes no promise for what is there; only the type of `tapPromise` does not say so.
 */
export const atOnce = <Answer>(answer: Answer): Promise<Answer> => answer as unknown as Promise<Answer>
