import type { Claim } from '../../../contracts/stages/claim.ts'
import type { Call } from '../../../text/calls/call.ts'
import { isSamePath } from '../../../text/calls/paths.ts'
import { excerpt } from '../check.ts'
import { evidenceOf } from '../rules/rule.ts'
import type { Statement } from './find-statements.ts'

type Verdict = Pick<Claim, 'verdict' | 'evidence'>

/** Holds what an answer says was done against the calls of its run. */
export function verifyStatement(statement: Statement, calls: readonly Call[]): Claim {
  const { deed, text } = statement
  return { text: excerpt(text, 200), kind: deed.kind, ...judge(statement, calls) }
}

function judge(statement: Statement, calls: readonly Call[]): Verdict {
  const { deed, paths } = statement
  if (deed.looks === true) return judgeLook(statement, calls)
  if (deed.kind === 'file' && paths.length > 0) return judgePaths(paths, calls)
  const able = calls.filter((call) => isAble(statement, call))
  const done = able.filter(({ status }) => status === 'completed')
  const right = done.find((call) => call.succeeded) ?? (statement.deed.runs && !statement.deed.by ? done[0] : undefined)
  if (right !== undefined) return { verdict: 'supported', evidence: [evidenceOf(right)] }
  return missed(able.filter((call) => call.missed))
}

/** Whether a call can have done what is said. */
function isAble({ deed, paths }: Statement, call: Call): boolean {
  if (deed.kind === 'command' && deed.runs && !deed.by && call.tool === 'calculate') return true
  if (!call.acts) return false
  if (deed.kind === 'file') return true
  if (deed.runs === true && !call.runs && !(deed.by?.test(call.words) ?? false)) return false
  if (call.writesFile && (deed.kind === 'request' || deed.kind === 'message'))
    return deed.by?.test(call.words.split(' ', 3).join(' ')) ?? false
  if (deed.by !== undefined) return deed.by.test(call.words) || call.isOpaque
  if (paths.length > 0 && deed.runs && call.runs)
    return call.isOpaque || paths.some((path) => call.words.includes(nameOf(path)))
  return !call.writesFile
}

/** Each file that is named needs a call that worked on it. */
function judgePaths(paths: readonly string[], calls: readonly Call[]): Verdict {
  const acting = calls.filter((call) => call.acts)
  const evidence: Claim['evidence'] = []
  const open: string[] = []
  for (const path of paths) {
    const call = acting.findLast((each) => each.succeeded && worksOn(each, path))
    if (call === undefined) open.push(path)
    else evidence.push({ ...evidenceOf(call), path })
  }
  // A file that was only looked at may be named beside one that was written.
  const [first] = open.filter((path) => evidence.length === 0 || !calls.some((call) => !call.acts && isAt(call, path)))
  if (first === undefined) return { verdict: 'supported', evidence }
  const tried = acting.filter((call) => call.missed && worksOn(call, first))
  return tried.length > 0 ? missed(tried, first) : { verdict: 'unsupported', evidence: [{ path: first }] }
}

function worksOn(call: Call, path: string): boolean {
  if (call.writesFile) return isAt(call, path)
  return call.words.includes(nameOf(path)) || call.text.includes(path) || (call.isOpaque && call.succeeded)
}

const isAt = ({ path, words }: Call, wanted: string): boolean =>
  path === undefined
    ? words.includes(wanted.toLowerCase())
    : isSamePath(path, wanted) || path.toLowerCase().startsWith(wanted.toLowerCase())

const nameOf = (path: string): string =>
  path
    .toLowerCase()
    .replace(/^\.?\//, '')
    .replace(/\/$/, '')

/** What is said to have been read, opened or fetched needs a call that returned something. */
function judgeLook({ paths, urls }: Statement, calls: readonly Call[]): Verdict {
  const wanted = urls.length > 0 ? urls.map(bareUrl) : paths.map(nameOf)
  const named = calls.filter((call) => wanted.length === 0 || wanted.some((name) => isAbout(call, name)))
  const done = named.find(({ status }) => status === 'completed')
  if (done !== undefined) return { verdict: 'supported', evidence: [evidenceOf(done)] }
  return missed(named.filter((call) => call.missed))
}

const isAbout = (call: Call, name: string): boolean =>
  call.words.includes(name) || call.text.toLowerCase().includes(name)

const bareUrl = (url: string): string =>
  url
    .toLowerCase()
    .replace(/^https?:\/\/(?:www\.)?/, '')
    .replace(/\/$/, '')

function missed(calls: readonly Call[], path?: string): Verdict {
  const last = calls.at(-1)
  if (last === undefined) return { verdict: 'unsupported', evidence: [] }
  return { verdict: 'contradicted', evidence: [{ ...evidenceOf(last), ...(path === undefined ? {} : { path }) }] }
}
