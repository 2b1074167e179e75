import { ByName, Warning } from '@svc/core/schema'
import * as Type from 'typebox'
import { ok } from '../http/answer.ts'
import { readinessOf } from '../readiness.ts'
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

export const healthRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/health',
    auth: 'open',
    summary: 'Whether the server can work, and with what. Asks no provider.',
    isUnlimited: true,
    answers: { 200: Health, 503: Health },
    async handle({ context }) {
      const checks = await readinessOf(context)
      const isReady = Object.values(checks).every((check) => check === 'ok')
      const health = await context.runtime.health()
      if (isReady && health.status === 'ok') return ok(health)
      return { status: 503, body: { ...health, status: 'degraded', checks: { ...health.checks, ...checks } } }
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
      const isReady = Object.values(checks).every((check) => check === 'ok')
      const lines = Object.entries(checks).map(([name, check]) => `${check === 'ok' ? '[+]' : '[-]'}${name} ${check}`)
      const word = isReady ? 'ok' : 'not ready'
      return { status: isReady ? 200 : 503, body: verbose === undefined ? word : [...lines, word].join('\n') }
    },
  }),
]
