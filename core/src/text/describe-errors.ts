/**
 * What is wrong with a value, in one line.
 *
 * @param whole what the value as a whole is called; default `/`
 */
export const describeErrors = (errors: readonly { path: string; message: string }[], whole = '/'): string =>
  errors.map(({ path, message }) => `${path || whole} ${message}`).join('; ')

const LONGEST_REASON = 500

/** That a signal ended a run, with what its `abort` was given as the reason, if that says anything. */
export function describeAbort({ reason }: AbortSignal, whose = 'aborted by the caller'): string {
  const isDefault = reason instanceof DOMException && reason.name === 'AbortError'
  const said = reason instanceof Error && !isDefault ? reason.message : typeof reason === 'string' ? reason : ''
  return said === '' ? whose : `${whose}: ${said.slice(0, LONGEST_REASON)}`
}
