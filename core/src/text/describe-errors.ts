/**
 * What is wrong with a value, in one line.
 *
 * @param whole what the value as a whole is called; default `/`
 */
export const describeErrors = (errors: readonly { path: string; message: string }[], whole = '/'): string =>
  errors.map(({ path, message }) => `${path || whole} ${message}`).join('; ')
