const FIRST = /^\s*\{\s*"exit_?code":\s*(\d{1,3})\s*[,}]/i

/** The exit code that the result of a program begins with, as JSON; so it is there where the rest was cut, too. */
export function exitCodeOf(result = ''): number | undefined {
  const code = FIRST.exec(result)?.[1]
  return code === undefined ? code : Number(code)
}
