import type { ErrorCode } from '@svc/core'
import type { Route } from './route.ts'

const ALWAYS: readonly ErrorCode[] = [
  'host_not_allowed',
  'origin_not_allowed',
  'not_acceptable',
  'validation_failed',
  'store_unavailable',
  'log_corrupt',
  'internal_error',
]
const OF_WRITES: readonly ErrorCode[] = ['disk_full']
const OF_BODIES: readonly ErrorCode[] = ['invalid_json', 'json_too_deep', 'body_too_large', 'unsupported_media_type']

/** Every code that a route can answer: its own, and those of what it takes in. */
export function errorsOf(route: Route): ErrorCode[] {
  const hasBody = route.method !== 'GET' && route.method !== 'DELETE'
  return [
    ...route.errors,
    ...ALWAYS,
    ...(hasBody ? OF_BODIES : []),
    ...(route.method === 'GET' ? [] : OF_WRITES),
    ...(route.auth === 'key' ? (['unauthenticated', 'sign_in_unavailable'] as const) : []),
    ...(route.auth === 'key' && route.needs !== 'self' ? (['policy_denied'] as const) : []),
    ...(route.isUnlimited ? [] : (['rate_limited'] as const)),
    ...(route.isNewWork ? (['shutting_down'] as const) : []),
    ...(route.isKeyed ? (['idempotency_mismatch'] as const) : []),
  ]
}
