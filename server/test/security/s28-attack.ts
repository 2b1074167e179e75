/** Names that come from outside, as many as somebody likes to make up. */
import type { RunEvent } from '@svc/core'
import { Metrics } from '../../src/observe/metrics.ts'

const usage = { inputTokens: 1, outputTokens: 1, estimated: false }

/** Series and labels that such names stand in. */
export const LABELS = [
  ['svc_http_requests_total', 'route'],
  ['svc_tool_calls_total', 'tool'],
  ['svc_policy_denials_total', 'rule'],
  ['svc_model_requests_total', 'provider'],
  ['svc_model_requests_total', 'model'],
] as const

/** The values of a label of a series. */
export const valuesOf = (text: string, series: string, label: string): Set<string | undefined> =>
  new Set(
    [...text.matchAll(new RegExp(`^${series}\\{([^}]*)\\}`, 'gm'))].map(
      ([, labels = '']) => new RegExp(`${label}="([^"]*)"`).exec(labels)?.[1],
    ),
  )

/** The metrics after so many made-up routes, tools, models and rules. */
export async function textAfter(names: number): Promise<string> {
  const metrics = new Metrics(() => 0)
  for (let i = 0; i < names; i++) {
    metrics.request({ method: 'GET', route: `/made/up/${i}`, status: 200, seconds: 0.01 })
    const error = { code: `code-${i}`, message: 'broken', retryable: false }
    for (const [type, data] of [
      ['tool.completed', { tool: `tool-${i}`, durationMs: 1 }],
      ['tool.denied', { tool: 'a', rule: `rule-${i}` }],
      ['model.failed', { provider: `provider-${i}`, model: `model-${i}`, usage, costUsd: 1, error }],
    ] as const)
      metrics.apply({ type, data } as unknown as RunEvent)
  }
  return metrics.render()
}

/** How many values each label has after 1,000 names. */
export async function attack(): Promise<number[]> {
  const text = await textAfter(1_000)
  return LABELS.map(([series, label]) => valuesOf(text, series, label).size)
}
