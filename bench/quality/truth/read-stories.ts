import { readFileSync } from 'node:fs'
import type { JsonSchema } from '@svc/core'
import { parse } from '@svc/core/schema'
import * as Type from 'typebox'
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

const Stories = Type.Array(
  Type.Object(
    {
      kind: Type.String({ minLength: 1 }),
      task: Type.String({ minLength: 1 }),
      log: Type.Optional(
        Type.Array(Type.Unsafe<[name: string, ...given: never[]]>({ type: 'array', minItems: 2 }), {
          description: 'what the run did: the name of an entry, and what it is made from',
        }),
      ),
      answer: Type.String(),
      outputSchema: Type.Optional(Type.Unsafe<JsonSchema>({ type: 'object' })),
    },
    { additionalProperties: false },
  ),
)

/** The stories of a file of this folder. */
export function readStories(name: string): story.Story[] {
  const data: unknown = JSON.parse(readFileSync(new URL(`./${name}.json`, import.meta.url), 'utf8'))
  return parse(Stories, data, name).map(({ log = [], ...rest }) => ({
    ...rest,
    log: log.map(([entry, ...given]) => {
      const make = ENTRIES[entry]
      if (make === undefined) throw new Error(`${name}.json: no entry of a log is called ${entry}`)
      return make(...given)
    }),
  }))
}
