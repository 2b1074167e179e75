const FIRST = /^\{\s*"exitCode":\s*(\d+)/

/** The exit code that the result of a program begins with, as JSON; so it is there where the rest was cut, too. */
export const exitCodeOf = (result = ''): number | undefined => {
  const [, code] = FIRST.exec(result) ?? []
  return code === undefined ? code : Number(code)
}
