import type { Claim } from '../../../contracts/stages/claim.ts'
import type { Call } from '../../../text/calls/call.ts'
import { isSamePath, toPath } from '../../../text/calls/paths.ts'
import { toSentences } from '../../../text/sentences.ts'
import { excerpt } from '../check.ts'
import type { Material } from '../material.ts'
import { evidenceOf } from '../rules/rule.ts'

/** A line of a file that an answer points to. */
interface Citation {
  text: string
  path: string
  line: number
}

const AT = /^(.{1,300}?\.[A-Za-z]\w{0,8})(?::(\d{1,7})(?:[-–:](\d{1,7}))?|#L(\d{1,7})(?:-L?(\d{1,7}))?)$/
/** One of them is in every sentence that cites a line. */
const MARK = /:\d|#L\d|line/i
const TRIM = /^[`"'(*_[<]{1,4}|[`"')*_\]>,;.!?]{1,6}$/g
/** Words of a source: a path among them is no place that the answer points to. */
const QUOTED = /"[^"\s]{0,300}\s[^"\n]{0,600}"|“[^”\s]{0,300}\s[^”\n]{0,600}”/g
const MORE = /… (\d{1,9})(\+?) more lines/
const NEAR = 5
const MAX_CITATIONS = 100

/** Every line of a file that the answer cites, held against the lines that tools showed. */
export function verifyCitations(material: Material): Claim[] {
  const claims: Claim[] = []
  const seen = new Set<string>()
  for (const citation of findCitations(material.prose)) {
    const place = `${citation.path}:${citation.line}`
    if (seen.has(place) || seen.size >= MAX_CITATIONS) continue
    seen.add(place)
    const judged = judge(citation, material)
    if (judged !== undefined) claims.push({ text: excerpt(citation.text, 200), kind: 'citation', ...judged })
  }
  return claims
}

function findCitations(prose: string): Citation[] {
  const found: Citation[] = []
  for (const sentence of toSentences(prose)) {
    if (!/\d/.test(sentence) || !MARK.test(sentence)) continue
    toTokens(sentence).forEach((token) => {
      const match = token.length <= 320 ? AT.exec(token) : null
      const path = match === null ? undefined : toPath(match[1] ?? '')
      if (match !== null && path !== undefined) {
        const line = Number(match[3] ?? match[5] ?? match[2] ?? match[4])
        // What follows a colon twice is a column.
        found.push({ text: sentence, path, line: token.split(':').length > 2 ? Number(match[2]) : line })
      }
    })
    const own = toTokens(sentence.replace(QUOTED, ' … '))
    own.forEach((token, index) => {
      if (!/^lines?$/i.test(token)) return
      const line = Number(/^\d{1,7}/.exec(own[index + 1] ?? '')?.[0] ?? Number.NaN)
      if (Number.isNaN(line)) return
      const near = [...own.slice(Math.max(0, index - NEAR), index).reverse(), ...own.slice(index + 2, index + 2 + NEAR)]
      const named = near.map((word) => toPath(word)).find((word) => word !== undefined && !word.endsWith('/'))
      if (named !== undefined) found.push({ text: sentence, path: named, line })
    })
  }
  return found
}

const toTokens = (text: string): string[] => text.split(/\s+/).map((token) => token.replace(TRIM, ''))

/** `undefined`: nothing was read that could decide it. */
function judge({ path, line }: Citation, material: Material): Pick<Claim, 'verdict' | 'evidence'> | undefined {
  const { task, calls, done } = material
  const name = path.split('/').at(-1) ?? path
  const isPrinted = (text: string): boolean =>
    text.includes(`${name}:${line}`) || text.includes(`${name}, line ${line}`)
  if (isPrinted(task.description) || material.given.some(isPrinted)) return { verdict: 'supported', evidence: [] }
  // A file that the run has changed has other lines now.
  const changed = done.find((call) => call.writesFile && call.path !== undefined && isSamePath(call.path, path))
  const shown = done.find((call) => isPrinted(call.printed)) ?? changed
  if (shown !== undefined) return { verdict: 'supported', evidence: [{ ...evidenceOf(shown), path }] }
  const reads = done.filter((call) => call.path !== undefined && isSamePath(call.path, path))
  const read = reads.at(-1)
  if (read === undefined) {
    if (task.description.includes(name)) return undefined
    return calls.length > 0 || material.mustBeGrounded ? { verdict: 'unsupported', evidence: [{ path }] } : undefined
  }
  const last = Math.max(...reads.map(lastLineOf))
  const evidence = [{ ...evidenceOf(read), path }]
  return { verdict: line >= 1 && line <= last ? 'supported' : 'contradicted', evidence }
}

/** How many lines a file has, as far as a call that read it tells. */
function lastLineOf(call: Call): number {
  const [, more = '0', open = ''] = MORE.exec(call.printed.slice(-200)) ?? []
  if (open === '+' || call.status !== 'completed') return Number.POSITIVE_INFINITY
  const lines = call.lastLine > 0 ? call.lastLine : call.printed.split('\n').length
  return lines + Number(more)
}
