import { existsSync } from 'node:fs'
import {
  type Approval,
  type ListQuery,
  NotFoundError,
  type Page,
  type Reach,
  type Run,
  type Runtime,
  SvcError,
  type Thread,
} from '@svc/core'
import type { CommandContext } from '../frame/context.ts'
import { wrong } from '../line/wrong.ts'
import { everyItem } from './every-item.ts'

type Kind = 'run' | 'thread' | 'approval'

const KINDS: Readonly<Record<Kind, { prefix: string; command: string; field: 'runs' | 'threads' | 'approvals' }>> = {
  run: { prefix: 'run', command: 'runs list', field: 'runs' },
  thread: { prefix: 'thr', command: 'runs list', field: 'threads' },
  approval: { prefix: 'apr', command: 'approvals list', field: 'approvals' },
}
const NAMES: Readonly<Record<string, string>> = {
  run: 'a run',
  thr: 'a thread',
  apr: 'an approval',
  mem: 'a memory record',
  req: 'a request',
}
/** Crockford's alphabet, as ULIDs have it. */
const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/
const FEWEST_CHARS = 4
const MOST_LOOKED_AT = 1_000

/**
 * The whole id that a word names: the id itself, or the beginning or end of one of the newest thousand.
 *
 * @throws ValidationError for a word that is no id of this kind, or names several; NotFoundError
 */
export async function findId(
  { flags, commandOf }: Pick<CommandContext, 'flags' | 'commandOf'>,
  runtime: Runtime,
  kind: Kind,
  word = '',
): Promise<string> {
  const { prefix, command: words, field } = KINDS[kind]
  const { reach } = flags.own
  const command = commandOf(words)
  const wanted = NAMES[prefix]
  if (kind === 'thread' && (await isThere(runtime, word, reach))) return word
  const [, stated, rest = word] = /^([a-z]{3})_(.*)$/.exec(word) ?? []
  if (stated !== undefined && stated !== prefix) {
    if (kind === 'approval') await refuseRun(runtime, word, reach)
    const other = NAMES[stated]
    throw wrong(
      `"${word.slice(0, 80)}" is ${other === undefined ? `no id of ${wanted}` : `the id of ${other}, not of ${wanted}`}: see ${command}`,
    )
  }
  const part = rest.toUpperCase()
  if (ULID.test(part)) {
    const id = `${prefix}_${part}`
    try {
      await runtime[field].get(id, reach)
    } catch (thrown) {
      // What cannot be read is there.
      if (SvcError.isInstance(thrown) && thrown.code === 'log_corrupt') return id
      if (!(thrown instanceof NotFoundError)) throw thrown
      const why = await findFolder(runtime, kind, id)
      throw new NotFoundError(thrown.code, `${thrown.message}: ${why ?? GONE}; see ${command}`)
    }
    return id
  }
  if (!/^[0-9A-Z]+$/.test(part) || part.length < FEWEST_CHARS || part.length > 26)
    throw wrong(
      `"${word.slice(0, 80)}" is no id of ${wanted}: give ${prefix}_ and 26 characters, or at least ${FEWEST_CHARS} of its beginning or end; see ${command}`,
    )
  const found: string[] = []
  let seen = 0
  const list = (query: ListQuery): Promise<Page<{ id: string }>> => runtime[field].list({ ...query, ...reach })
  for await (const { id } of everyItem(list, MOST_LOOKED_AT)) {
    seen++
    if (isNamedBy(id, part)) found.push(id)
  }
  const [first] = found
  if (first === undefined) {
    if (kind === 'approval') await refuseRun(runtime, word, reach)
    const where = seen < MOST_LOOKED_AT ? '' : ` among the newest ${MOST_LOOKED_AT}`
    throw new NotFoundError(`${kind}_not_found`, `there is no ${kind} "${word}"${where}: see ${command}`)
  }
  if (found.length > 1) {
    const shown = found.slice(0, 3).join(', ')
    throw wrong(`"${word}" is not one ${kind} but ${found.length}: ${shown}${found.length > 3 ? ', ...' : ''}`)
  }
  return first
}

/** Whether there is a thread of this id: its maker may have chosen any. */
const isThere = ({ threads }: Runtime, id: string, reach: Reach): Promise<boolean> =>
  threads.get(id, reach).then(
    () => true,
    () => false,
  )

/** Whether a word is the beginning or end of an id, without its prefix. */
function isNamedBy(id: string, part: string): boolean {
  const ulid = id.slice(id.indexOf('_') + 1)
  return part !== '' && (ulid.endsWith(part) || ulid.startsWith(part))
}

/** @throws ValidationError that names the open approval of a run, where the run is named in its place */
async function refuseRun(runtime: Runtime, word: string, reach: Reach): Promise<void> {
  const part = word.replace(/^run_/, '').toUpperCase()
  const list = (query: ListQuery): Promise<Page<Approval>> =>
    runtime.approvals.list({ ...query, ...reach, status: 'pending' })
  const open: string[] = []
  for await (const { id, runId } of everyItem(list, MOST_LOOKED_AT)) if (isNamedBy(runId, part)) open.push(id)
  if (open.length === 1) throw wrong(`"${word}" is the id of a run, and its open approval is ${open[0]}`)
}

const GONE = 'it was removed, or is kept in another data folder or database'

/** How to work with a run or a thread of another folder; undefined where there is no such. */
async function findFolder(runtime: Runtime, kind: Kind, id: string): Promise<string | undefined> {
  if (kind === 'approval') return undefined
  const found: Promise<Pick<Run | Thread, 'space'>> = runtime[kind === 'run' ? 'runs' : 'threads'].get(id, {
    all: true,
  })
  const { space } = await found.catch(() => ({ space: undefined }))
  if (space === undefined) return undefined
  if (existsSync(space)) return `--cwd ${space} works with it there`
  return `a project that was moved or renamed goes on with its runs where its config has "store": { "space": ${JSON.stringify(space)} }`
}
