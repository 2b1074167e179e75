import { readFileSync } from 'node:fs'
import { findErrors } from '@svc/core/schema'
import * as story from '../../../core/test/fixtures/story.ts'

const { calc, denied, edited, failed, fetched, list, ran, read, search, sh, tool, wrote } = story

/** What writes an entry of a log, by the name that the files use. */
const ENTRIES: Readonly<Record<string, (...given: never[]) => story.Entry>> = {
  calc,
  denied,
  edited,
  failed,
  fetched,
  list,
  ran,
  read,
  search,
  sh,
  tool,
  wrote,
}

/** A story as the files have it: an entry of the log is a name of `ENTRIES`, and what it is made from. */
interface StoryData extends Omit<story.Story, 'log'> {
  log?: [entry: string, ...given: never[]][]
}

const text = { type: 'string', minLength: 1 }
const SCHEMA = {
  type: 'array',
  items: {
    type: 'object',
    required: ['kind', 'task', 'answer'],
    properties: {
      kind: text,
      task: text,
      log: { type: 'array', items: { type: 'array', minItems: 2, prefixItems: [{ enum: Object.keys(ENTRIES) }] } },
      answer: { type: 'string' },
      outputSchema: { type: 'object' },
    },
    additionalProperties: false,
  },
}

/** The stories of a file of this folder. */
export function readStories(name: string): story.Story[] {
  const data: unknown = JSON.parse(readFileSync(new URL(`./${name}.json`, import.meta.url), 'utf8'))
  const [wrong] = findErrors(SCHEMA, data)
  if (wrong !== undefined) throw new Error(`${name}.json: ${wrong.path} ${wrong.message}`)
  return (data as StoryData[]).map(({ log = [], ...rest }) => ({
    ...rest,
    log: log.flatMap(([entry, ...given]) => ENTRIES[entry]?.(...given) ?? []),
  }))
}
