import { type Check, fail, NOT_APPLICABLE, pass, quoteList } from '../check.ts'
import { toSentences } from '../shape.ts'

const EXTENSIONS =
  'ts|tsx|mts|cts|js|jsx|mjs|cjs|json|jsonl|md|mdx|txt|py|rs|go|java|kt|c|h|cc|cpp|hpp|cs|rb|php|sh|yml|yaml|toml|ini|cfg|conf|lock|html|css|scss|sql|csv|tsv|xml|svg|png|jpg|pdf|log|env|proto|ipynb'
const PATH = new RegExp(String.raw`^(?:\.{0,2}/)?(?:[\w@.+~-]+/){0,30}[\w@.+~-]*\.(?:${EXTENSIONS})$`)
const CODE_ID = /^[A-Z][A-Z0-9]{1,9}-\d{1,8}$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const LONG_ID = /^(?:[a-z]{2,8}_)(?=[0-9A-Za-z]*\d)[0-9A-Za-z]{8,40}$/
const HASH = /^(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])(?:[0-9a-f]{7,12}|[0-9a-f]{32,64})$/
const STANDARD =
  /^(?:UTF|ISO|RFC|SHA|MD|AES|ES|HTTP|IPV|GPT|COVID|ASCII|UTC|GMT|PEP|CVE|ECMA|IEEE|BM|RS|HS|TLS|WCAG|MAST)-/
const PRODUCT =
  /^(?:node|next|vue|nuxt|express|three|d3|chart|react|ember|backbone|moment|alpine|socket|discord|p5|ext|asp)\.(?:js|io|net)$/i
const PROPOSES =
  /\b(?:creat|add|new|would|could|should|suggest|propos|recommend|example|e\.g\.|such as|renam|sav|writ|generat|not found|no (?:file|such)|missing|does not exist|doesn't exist|could not)/i
const TOKEN = /[^\s"'“”‘’`()[\]{}<>|,;!?]+/g

/** Every file, path and identifier of the answer was seen by a tool or stands in the task. */
export const references: Check = {
  id: 'references',
  critical: false,
  needs: ['dots'],
  trust: 0.8,
  lesson: {
    trigger: 'an answer that names files or identifiers',
    cause: '3.3',
    advice: 'Name only files and identifiers that a tool has shown.',
  },
  look({ grounded, mustBeGrounded, prose, sourceText, task }) {
    // General knowledge names files and ids that no tool has shown, too.
    if (
      !grounded ||
      !mustBeGrounded ||
      /\b(?:create|generate|scaffold|propose|design|refactor)\b/i.test(task.description)
    )
      return NOT_APPLICABLE
    const names = new Set<string>()
    const unknown = new Set<string>()
    const lower = sourceText.toLowerCase()
    for (const sentence of toSentences(prose)) {
      if (PROPOSES.test(sentence)) continue
      for (const [token] of sentence.matchAll(TOKEN)) {
        const name = toName(token)
        if (name === undefined || names.has(name)) continue
        names.add(name)
        if (!isKnown(name, lower)) unknown.add(name)
      }
    }
    if (names.size === 0) return NOT_APPLICABLE
    if (unknown.size === 0) return pass()
    const finding = fail(
      `no tool has shown ${quoteList([...unknown])}`,
      'Name only files and identifiers that a tool has shown; list or search before naming.',
    )
    return { ...finding, critical: unknown.size * 2 > names.size }
  },
}

/** The path or id that a word is, without line numbers and punctuation. */
function toName(token: string): string | undefined {
  if (token.length > 300 || token.includes('://')) return undefined
  const bare = token
    .replace(/^[*_.:#]{1,4}(?=[\w@/])/, (marks) => (marks.startsWith('.') ? marks.slice(marks.search(/\./)) : ''))
    .replace(/[*.:]{1,4}$/, '')
  const name = bare.replace(/(?::\d{1,7}(?:[-–:]\d{1,7})?|#L\d{1,7}(?:-L?\d{1,7})?)$/, '')
  if (PATH.test(name) && !PRODUCT.test(name) && !name.startsWith('*')) return name
  if ((CODE_ID.test(name) && !STANDARD.test(name)) || UUID.test(name) || LONG_ID.test(name) || HASH.test(name))
    return name
  return undefined
}

/** As it stands, or, for a path, folder by folder: a listing may show a tree. */
function isKnown(name: string, sources: string): boolean {
  const wanted = name.toLowerCase().replace(/^\.?\//, '')
  if (sources.includes(wanted)) return true
  return (
    wanted.includes('/') && wanted.split('/').every((part) => part === '' || part === '..' || sources.includes(part))
  )
}
