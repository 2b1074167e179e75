import { STATUS_CODES } from 'node:http'
import { ERROR_CODES, VERSION } from '@svc/core'
import type { TObject, TSchema } from 'typebox'
import { EVENT_STREAM } from '../http/request/accept.ts'
import { errorsOf } from '../routes/errors-of.ts'
import type { Route } from '../routes/route.ts'
import { EVENT_DATA, NAMED } from './schemas.ts'

export type OpenApiDocument = Record<string, unknown>
type Json = Record<string, unknown>

const refTo = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

/** The names of schemas by their text: the same shape is written down once. */
const names = new Map(Object.entries(NAMED).map(([name, schema]) => [JSON.stringify(schema), name]))

/** Describes routes as OpenAPI 3.1. */
export function createOpenApi(routes: readonly Route[]): OpenApiDocument {
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: toOperation(route) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'svc', version: VERSION, description: 'Runs tasks through teams of agents, durably.' },
    paths,
    components: {
      schemas: {
        ...Object.fromEntries(Object.entries(NAMED).map(([name, schema]) => [name, inside(schema)])),
        ...events(),
      },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      },
    },
  }
}

function toOperation(route: Route): Json {
  const { method, path, summary, auth, needs, params, query, body, isKeyed } = route
  return {
    operationId: operationIdOf(method, path),
    summary,
    security: auth === 'key' ? [{ bearer: [needs] }, { apiKey: [needs] }] : [],
    parameters: [
      ...toParameters(params, 'path'),
      ...toParameters(query, 'query'),
      ...(isKeyed
        ? [{ name: 'Idempotency-Key', in: 'header', schema: { type: 'string', pattern: '^[!-~]{1,255}$' } }]
        : []),
    ],
    ...(body && {
      requestBody: { required: isRequired(body), content: { 'application/json': { schema: toSchema(body) } } },
    }),
    responses: { ...toAnswers(route), ...toProblems(route) },
  }
}

/** `getV1RunsIdEvents`. */
const operationIdOf = (method: string, path: string): string =>
  method.toLowerCase() +
  path
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

const isRequired = (body: TSchema): boolean => ((body as { required?: string[] }).required ?? []).length > 0

const toParameters = (schema: TObject | undefined, place: 'path' | 'query'): Json[] =>
  Object.entries(schema?.properties ?? {}).map(([name, value]) => ({
    name,
    in: place,
    required: place === 'path',
    ...((value as { type?: string }).type === 'array' && { style: 'form', explode: false }),
    schema: toSchema(value as TSchema),
  }))

function toAnswers({ answers, media = ['application/json'] }: Route): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(answers).map(([status, schema]) => {
      const description = STATUS_CODES[Number(status)] ?? 'an answer'
      if (schema === null) return [status, { description }]
      // An answer other than the first kinds of success is never a stream.
      const types = media.filter((type) => type !== EVENT_STREAM || status === '200' || status === '201')
      const content = types.map((type) => [
        type,
        { schema: type === EVENT_STREAM ? { type: 'string' } : toSchema(schema) },
      ])
      return [status, { description, content: Object.fromEntries(content) }]
    }),
  )
}

/** One answer for each status, with the codes that it may have. */
function toProblems(route: Route): Record<string, Json> {
  const byStatus = new Map<number, string[]>()
  for (const code of errorsOf(route)) {
    const { status } = ERROR_CODES[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus]
      .filter(([status]) => !(status in route.answers))
      .map(([status, codes]) => [
        String(status),
        {
          description: [...new Set(codes)].join(', '),
          content:
            route.problem === undefined
              ? { 'application/problem+json': { schema: refTo('Problem') } }
              : { 'application/json': { schema: { type: 'object' } } },
        },
      ]),
  )
}

/** Each type of event with its data, and all of them together. */
function events(): Record<string, Json> {
  const types = Object.entries(EVENT_DATA).map(([type, data]): [string, Json] => [
    `event.${type}`,
    {
      allOf: [
        refTo('EventEnvelope'),
        {
          type: 'object',
          required: ['type', 'data'],
          properties: { type: { const: type }, data: toSchema(data) },
        },
      ],
    },
  ])
  return { ...Object.fromEntries(types), RunEvent: { anyOf: types.map(([name]) => refTo(name)) } }
}

/** A schema as plain data, in which shapes with a name are references. */
function toSchema(schema: unknown): Json {
  const name = names.get(JSON.stringify(schema))
  return name === undefined ? inside(schema) : refTo(name)
}

function inside(schema: unknown): Json {
  return Object.fromEntries(Object.entries(schema as Json).map(([key, value]) => [key, toPlain(value)]))
}

function toPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlain)
  if (typeof value !== 'object' || value === null) return value
  return toSchema(value)
}
