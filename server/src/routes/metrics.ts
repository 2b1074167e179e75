import * as Type from 'typebox'
import { ok } from '../http/answer.ts'
import { type Route, route } from './route.ts'

export const metricsRoute = route({
  method: 'GET',
  path: '/metrics',
  auth: 'open',
  summary: 'Counters and durations as text for Prometheus, without content of tasks.',
  isUnlimited: true,
  media: ['text/plain; version=0.0.4; charset=utf-8'],
  answers: { 200: Type.String() },
  handle: async ({ context }) => ok(await context.metrics.render()),
}) satisfies Route
