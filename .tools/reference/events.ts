import { DURABLE_EVENT_DATA, EPHEMERAL_EVENT_DATA } from '@svc/core/schema'
import { createOpenApi, ROUTES } from '@svc/server'
import { page } from './markdown.ts'
import { fieldTable, type Schema, typeOf } from './schema.ts'

interface EventSchema {
  readonly allOf: readonly [unknown, { readonly properties: { readonly data: Schema } }]
}

/** What each type of event carries. */
export function events(): string {
  const { schemas } = createOpenApi(ROUTES).components as { schemas: Readonly<Record<string, EventSchema>> }
  const rows = (types: object): string[] =>
    Object.keys(types).flatMap((type) => {
      const data = schemas[`event.${type}`]?.allOf[1].properties.data ?? {}
      const isEmpty = data.properties !== undefined && Object.keys(data.properties).length === 0
      if (isEmpty) return [`### ${type}`, 'Without data.']
      return [`### ${type}`, data.properties === undefined ? `${typeOf(data)}.` : fieldTable(data)]
    })
  return page(
    '# Events of a run',
    'Written from the schemas of `core/src/contracts/log/event-data.ts` by `npm run fix`. What every event has is the [EventEnvelope](http.md#eventenvelope); the fields below are those of its `data`. How they are read: [server.md](../server.md#streams).',
    '## Kept and numbered',
    ...rows(DURABLE_EVENT_DATA),
    '## Sent once and not kept',
    ...rows(EPHEMERAL_EVENT_DATA),
  )
}
