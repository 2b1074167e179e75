import { createOpenApi, ROUTES } from '@svc/server'
import { anchorOf, code, page, table, toProse } from './markdown.ts'
import { fieldTable, type Schema, typeOf } from './schema.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Schema
}

interface Answer {
  readonly description: string
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

interface Operation {
  readonly summary: string
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<Record<string, Answer>>
}

const PROBLEM = 'application/problem+json'

/** Every route with what it takes and answers, and every shape that has a name. */
export function http(): string {
  const document = createOpenApi(ROUTES)
  const paths = document.paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>
  const schemas = (document.components as { schemas: Readonly<Record<string, Schema>> }).schemas
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  )
  const common = codesOfAll(routes.map(({ operation }) => operation))
  return page(
    '# Routes of the server',
    'Written from the OpenAPI document that `GET /openapi.json` answers by `npm run fix`. How the server behaves: [server.md](../server.md); the data of events: [events.md](events.md); what the codes mean for a program: [errors.md](errors.md).',
    table(
      ['route', 'what it does'],
      routes.map(({ name, operation }) => [`[${code(name)}](#${anchorOf(name)})`, toProse(operation.summary)]),
    ),
    `Every route can also answer with ${common.map(code).join(', ')}. A problem is a [Problem](#problem).`,
    ...routes.flatMap(({ name, operation }) => route(name, operation, common)),
    '# Shapes',
    ...Object.entries(schemas)
      .filter(([name]) => !/^event\.|^RunEvent$/.test(name))
      .flatMap(([name, schema]) => [
        `## ${name}`,
        schema.properties === undefined ? `${typeOf(schema)}.` : fieldTable(schema),
      ]),
  ).replaceAll('](http.md#', '](#')
}

/** What a key has to be for; where none is set, who sends none may read and submit. */
function neededFor([first]: Operation['security']): string {
  const [need = ''] = Object.values(first ?? {})[0] ?? []
  if (first === undefined) return ' Open: it needs no key.'
  return need in NEEDS ? ` Needs ${NEEDS[need]}.` : ''
}

const NEEDS: Readonly<Record<string, string>> = {
  overview: 'a key with `admin`, or none where none is set',
  submit: 'a key with `submit`, or none where none is set',
  keep: 'a key with `submit`',
  approve: 'a key with `approve`',
  admin: 'a key with `admin`',
}

function route(name: string, operation: Operation, common: readonly string[]): string[] {
  const { summary, security, parameters, requestBody, responses } = operation
  const body = Object.values(requestBody?.content ?? {})[0]?.schema
  const problems = Object.entries(responses).flatMap(([status, answer]) =>
    codesOf(answer).flatMap((word) => (common.includes(word) ? [] : [`${code(word)} (${status})`])),
  )
  return [
    `## ${name}`,
    `${toProse(summary)}${neededFor(security)}`,
    ...(parameters.length === 0
      ? []
      : [
          table(
            ['parameter', 'in', 'type', 'meaning'],
            parameters.map((given) => [
              code(given.name),
              given.in,
              `${typeOf(given.schema)}${given.required ? ', required' : ''}`,
              toProse(given.schema.description ?? ''),
            ]),
          ),
        ]),
    ...(body === undefined
      ? []
      : body.properties === undefined
        ? [`Body: ${typeOf(body)}.`]
        : ['Body:', fieldTable(body)]),
    ...answersOf(responses),
    ...(problems.length === 0 ? [] : [`Problems: ${problems.join(', ')}.`]),
  ]
}

/** What a route answers; statuses with the same body in one. */
function answersOf(responses: Operation['responses']): string[] {
  const byBody = new Map<string, string[]>()
  for (const [status, answer] of Object.entries(responses)) {
    if (codesOf(answer).length > 0) continue
    const key = JSON.stringify(answer.content ?? {})
    byBody.set(key, [...(byBody.get(key) ?? []), status])
  }
  return [...byBody].flatMap(([key, statuses]) => {
    const content = JSON.parse(key) as NonNullable<Answer['content']>
    const [first] = Object.values(content)
    if (first === undefined) return [`Answers ${statuses.join(' or ')} without a body.`]
    const media = Object.keys(content).map(code).join(' or ')
    const { schema } = first
    if (schema.properties === undefined)
      return [`Answers ${statuses.join(' or ')} with ${typeOf(schema)}, as ${media}.`]
    return [`Answers ${statuses.join(' or ')}, as ${media}:`, fieldTable(schema)]
  })
}

const codesOf = ({ description, content = {} }: Answer): string[] => (PROBLEM in content ? description.split(', ') : [])

/** The codes that each route can answer. */
function codesOfAll(operations: readonly Operation[]): string[] {
  const each = operations.map(({ responses }) => Object.values(responses).flatMap(codesOf))
  return [...new Set(each.flat())].filter((word) => each.every((codes) => codes.includes(word)))
}
