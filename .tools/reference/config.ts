import { SvcConfig } from '@svc/core/schema'
import { CONFIG_VARIABLES } from '../../core/src/config/read/config-variables.ts'
import { code, page, table, toProse } from './markdown.ts'
import { fieldTable, innerOf, type Schema } from './schema.ts'

/** Every field of a config and every environment variable that sets one. */
export function config(): string {
  const { properties = {} } = JSON.parse(JSON.stringify(SvcConfig)) as Schema
  const fields = Object.entries(properties)
  const groups = fields.flatMap(([name, schema]) => {
    const inner = innerOf(schema)
    return inner === undefined ? [] : [{ name, schema, inner }]
  })
  const names = new Set(groups.map(({ name }) => name))
  const single = Object.fromEntries(fields.filter(([name]) => !names.has(name)))
  return page(
    '# Fields of a config',
    'Written from the schema of `core/src/contracts/config.ts` by `npm run fix`. Where configs are found, how their layers are merged, and what an untrusted one may say: [config.md](../config.md). `<id>` stands for a name of yours, `[]` for each element of a list. A field that is not required may be left out.',
    fieldTable({ properties: single }),
    ...groups.flatMap(({ name, schema, inner }) => [
      `## ${name}`,
      ...(schema.description === undefined ? [] : [`${sentence(schema.description)}`]),
      fieldTable(inner.schema, `${name}${inner.suffix}`),
    ]),
    '## Environment variables',
    'Each field above is one: `SVC_` and its path in capitals, with `_` between its words: `server.limits.runningRuns` is `SVC_SERVER_LIMITS_RUNNING_RUNS`. `svc config env` lists them. Besides:',
    table(
      ['variable', 'same as', 'meaning'],
      CONFIG_VARIABLES.map(({ name, path, meaning }) => [
        code(name),
        path === undefined ? '' : code(path.join('.')),
        toProse(meaning),
      ]),
    ),
  )
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
