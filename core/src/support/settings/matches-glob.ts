/** Whether a text matches a pattern in which `*` stands for any run of characters. Linear in the text for each `*`. */
export function matchesGlob(pattern: string, text: string): boolean {
  if (!pattern.includes('*')) return pattern === text
  const [head = '', ...rest] = pattern.split(/\*+/)
  if (!text.startsWith(head)) return false
  const tail = rest.pop() ?? ''
  let at = head.length
  for (const part of rest) {
    const foundAt = text.indexOf(part, at)
    if (foundAt === -1) return false
    at = foundAt + part.length
  }
  return text.length - tail.length >= at && text.endsWith(tail)
}
