import { ByName, Warning } from '@svc/core/schema'
import * as Type from 'typebox'
import { ok } from '../http/answer.ts'
import { concernsOf, readinessOf } from '../readiness.ts'
import { type Route, route } from './route.ts'
import { query } from './schemas.ts'

const Health = Type.Object({
  status: Type.Enum(['ok', 'degraded']),
  version: Type.String(),
  uptimeSeconds: Type.Number(),
  provider: Type.String(),
  warnings: Type.Array(Warning),
  checks: Type.Optional(ByName(Type.String())),
})

const TEXT = ['text/plain']

type Checks = Readonly<Record<string, string>>

const isFine = (checks: Checks): boolean => Object.values(checks).every((check) => check === 'ok')

/** @param mark of what is not as it should be */
const linesOf = (checks: Checks, mark: string): string[] =>
  Object.entries(checks).map(([name, check]) => `${check === 'ok' ? '[+]' : mark}${name} ${check}`)

export const healthRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/health',
    auth: 'open',
    summary:
      'Whether the server can work, and with what: 503 where it takes no new work, 200 and degraded where runs would fail or wait. Asks no provider.',
    isUnlimited: true,
    answers: { 200: Health, 503: Health },
    async handle({ context }) {
      const health = await context.runtime.health()
      const [checks, concerns] = await Promise.all([readinessOf(context), concernsOf(context, health)])
      const isReady = isFine(checks) && health.status === 'ok'
      if (isReady && isFine(concerns)) return ok(health)
      const body = { ...health, status: 'degraded' as const, checks: { ...health.checks, ...checks, ...concerns } }
      return { status: isReady ? 200 : 503, body }
    },
  }),
  route({
    method: 'GET',
    path: '/livez',
    auth: 'open',
    summary: 'Whether the process answers.',
    isProbe: true,
    isUnlimited: true,
    query: query({ verbose: Type.Optional(Type.String()) }),
    media: TEXT,
    answers: { 200: Type.String() },
    handle: () => ok('ok'),
  }),
  route({
    method: 'GET',
    path: '/readyz',
    auth: 'open',
    summary: 'Whether new work is taken: runs can be recorded, and the server does not end.',
    isProbe: true,
    isUnlimited: true,
    query: query({ verbose: Type.Optional(Type.String({ description: 'each check on a line' })) }),
    media: TEXT,
    answers: { 200: Type.String(), 503: Type.String() },
    async handle({ context, query: { verbose } }) {
      const checks = await readinessOf(context)
      const isReady = isFine(checks)
      const word = isReady ? 'ok' : 'not ready'
      const status = isReady ? 200 : 503
      if (verbose === undefined) return { status, body: word }
      const concerns = await concernsOf(context, await context.runtime.health())
      return { status, body: [...linesOf(checks, '[-]'), ...linesOf(concerns, '[!]'), word].join('\n') }
    },
  }),
]
