/** At most `limit` characters of a text on one line. */
export function excerpt(text: string, limit = 120): string {
  const line = text
    .slice(0, limit * 4)
    .replace(/\s+/g, ' ')
    .trim()
  return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`
}
