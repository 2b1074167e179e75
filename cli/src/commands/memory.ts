import {
  type Layer,
  type MemoryHit,
  type MemoryKind,
  type MemoryRecord,
  type MemoryWrite,
  type Runtime,
  ValidationError,
} from '@svc/core'
import type { CommandContext } from '../context.ts'
import { invalid, oneOf } from '../flags.ts'
import type { Options } from '../options.ts'
import { readAction } from '../read-action.ts'
import { readTask } from '../read-task.ts'
import { renderTable } from '../render/table.ts'

const ACTIONS = ['add', 'search', 'list', 'rm'] as const
const LAYERS: readonly Layer[] = ['working', 'episodic', 'long-term']
const KINDS: readonly MemoryKind[] = ['fact', 'event', 'procedure', 'summary', 'decision', 'lesson', 'preference']
const PAGE = 100
const SEARCH_LIMIT = 10
const LIST_LIMIT = 20
/** Kind and tag filter what was found, so more is asked for. */
const MOST_FOUND = 1000

/** What a record must be to be shown. */
interface Filter {
  layer?: Layer
  kind?: MemoryKind
  tags: readonly string[]
}

/** `svc memory add|search|list|rm`: what is remembered, from this process or an earlier one. */
export default async function memory(context: CommandContext, [action = 'list', ...words]: string[]): Promise<number> {
  const wanted = readAction('memory', action, ACTIONS)
  const { filter, limit } = readOptions(context.flags.rest)
  const text = wanted === 'add' || wanted === 'search' ? await textOf(wanted, words) : ''
  if (wanted === 'rm' && words.length === 0) throw wrong('svc memory rm needs the id of a record: see svc memory list')
  if (wanted === 'list' && words.length > 0)
    throw wrong(`svc memory list takes no words: use svc memory search "${words.join(' ').slice(0, 200)}"`)
  const { runtime } = await context.start()
  try {
    if (wanted === 'add') await add(context, runtime, toWrite(text, filter))
    else if (wanted === 'search') await search(context, runtime, text, filter, limit ?? SEARCH_LIMIT)
    else if (wanted === 'list') await list(context, runtime, filter, limit ?? LIST_LIMIT)
    else await remove(context, runtime, words)
    return 0
  } finally {
    await runtime.close()
  }
}

async function add({ print }: CommandContext, runtime: Runtime, input: MemoryWrite): Promise<void> {
  const record = await runtime.memory.write(input)
  print(record, () => `remembered as ${record.id}`)
}

async function search(
  { print, io }: CommandContext,
  runtime: Runtime,
  query: string,
  filter: Filter,
  limit: number,
): Promise<void> {
  const isNarrowed = filter.kind !== undefined || filter.tags.length > 0
  const found = await runtime.memory.query({
    query,
    limit: isNarrowed ? MOST_FOUND : limit,
    ...(filter.layer === undefined ? {} : { layers: [filter.layer] }),
  })
  const data = found.data.filter((hit) => fitsFilter(hit, filter)).slice(0, limit)
  print({ ...found, data }, (columns) => renderHits(data, columns))
  if (data.length === 0) io.err('svc: nothing that is remembered fits\n')
  else if (found.low) io.err('svc: little of this fits what was asked\n')
}

async function list({ print, io }: CommandContext, runtime: Runtime, filter: Filter, limit: number): Promise<void> {
  const data: MemoryRecord[] = []
  let after: string | undefined
  let hasMore = true
  while (hasMore && data.length <= limit) {
    const page = await runtime.memory.list({
      limit: PAGE,
      ...(filter.layer === undefined ? {} : { layer: filter.layer }),
      ...(after === undefined ? {} : { after }),
    })
    data.push(...page.data.filter((record) => fitsFilter(record, filter)))
    after = page.nextCursor
    hasMore = page.hasMore && after !== undefined
  }
  const shown = data.slice(0, limit)
  print({ data: shown, hasMore: data.length > limit }, (columns) => renderRecords(shown, columns))
  if (shown.length === 0) io.err('svc: nothing is remembered yet: use svc memory add "..."\n')
  else if (data.length > limit) io.err(`svc: these are the newest ${limit}; --limit shows more\n`)
}

async function remove({ print }: CommandContext, runtime: Runtime, ids: readonly string[]): Promise<void> {
  for (const id of ids) await runtime.memory.get(id)
  for (const id of new Set(ids)) await runtime.memory.delete(id)
  print({ removed: ids }, () => ids.map((id) => `forgot ${id}`).join('\n'))
}

async function textOf(action: 'add' | 'search', words: readonly string[]): Promise<string> {
  if (words.length > 0) return readTask(words, action === 'add' ? 'text' : 'query')
  throw wrong(
    action === 'add'
      ? 'svc memory add needs a text, or - to read it from standard input'
      : 'svc memory search needs what to look for',
  )
}

const text = (value: Options[string] | undefined): string | undefined =>
  value === undefined ? undefined : String(value)

function readOptions(rest: Options): { filter: Filter; limit?: number } {
  const layer = oneOf('layer', text(rest.layer), LAYERS)
  const kind = oneOf('kind', text(rest.kind), KINDS)
  const tags = Array.isArray(rest.tag) ? rest.tag : rest.tag === undefined ? [] : [String(rest.tag)]
  const limit = rest.limit === undefined ? undefined : Number(rest.limit)
  if (limit !== undefined && (!Number.isInteger(limit) || limit < 1 || limit > MOST_FOUND))
    throw invalid('limit', `must be a whole number from 1 to ${MOST_FOUND}, not ${rest.limit}`)
  return {
    filter: { tags, ...(layer === undefined ? {} : { layer }), ...(kind === undefined ? {} : { kind }) },
    ...(limit === undefined ? {} : { limit }),
  }
}

/** What a person adds is a fact by default. */
const toWrite = (content: string, { layer, kind = 'fact', tags }: Filter): MemoryWrite => ({
  content,
  kind,
  ...(layer === undefined ? {} : { layer }),
  ...(tags.length === 0 ? {} : { tags: [...tags] }),
})

const fitsFilter = (record: MemoryRecord, { kind, tags }: Filter): boolean =>
  (kind === undefined || record.kind === kind) && tags.every((tag) => record.tags.includes(tag))

const renderHits = (hits: readonly MemoryHit[], columns: number): string =>
  hits.length === 0
    ? ''
    : renderTable(
        ['id', 'score', 'kind', 'since', 'content'],
        hits.map((hit) => [hit.id, hit.score.toFixed(2), kindOf(hit), hit.validFrom.slice(0, 10), hit.content]),
        columns,
        { cuts: true },
      )

const renderRecords = (records: readonly MemoryRecord[], columns: number): string =>
  records.length === 0
    ? ''
    : renderTable(
        ['id', 'layer', 'kind', 'since', 'content'],
        records.map((one) => [one.id, one.layer, kindOf(one), one.validFrom.slice(0, 10), one.content]),
        columns,
        { cuts: true },
      )

/** The kind, marked where the record is untrusted. */
const kindOf = ({ kind, trust }: MemoryRecord): string => (trust === 'trusted' ? kind : `${kind} (untrusted)`)

const wrong = (message: string): ValidationError => new ValidationError('validation_failed', message)
