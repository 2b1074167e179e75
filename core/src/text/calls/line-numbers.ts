const LINE_NUMBER = /^[ \t]{0,8}(\d{1,7})(?:\t|: |:|\s?[|│→]\s?)/
const ANY_LINE_NUMBER = new RegExp(LINE_NUMBER.source, 'm')

/** A listing of numbered lines without their numbers, and the last of them; any other text as it is. */
export function withoutLineNumbers(text: string): { text: string; lastLine: number } {
  if (!ANY_LINE_NUMBER.test(text)) return { text, lastLine: 0 }
  const lines = text.split('\n')
  const numbers = lines.map((line) => Number(LINE_NUMBER.exec(line)?.[1] ?? Number.NaN))
  const consecutive = numbers.filter((number, index) => index > 0 && number === (numbers[index - 1] ?? 0) + 1).length
  if (consecutive === 0 || consecutive < 0.8 * (lines.length - 2)) return { text, lastLine: 0 }
  const lastLine = Math.max(...numbers.slice(-3).filter((number) => !Number.isNaN(number)), 0)
  return { text: lines.map((line) => line.replace(LINE_NUMBER, '')).join('\n'), lastLine }
}
