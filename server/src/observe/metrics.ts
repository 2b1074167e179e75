import { type Measurement, type RunEvent, type Runtime, VERSION } from '@svc/core'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { BoundedLabel } from './bounded-label.ts'
import { COUNTERS, DURATIONS } from './instruments.ts'
import type { ProviderWatch } from './provider-watch.ts'
import { READ_MS, type StoreWatch, within } from './store-watch.ts'

/** One answered request. */
export interface RequestFacts {
  method: string
  route: string
  status: number
  seconds: number
}

/** What is measured of the process: once for all its servers, as it watches the collector of garbage for ever. */
const ofProcess = new Registry()

function measureProcess(): Registry {
  if (ofProcess.getMetricsAsArray().length > 0) return ofProcess
  collectDefaultMetrics({ register: ofProcess })
  // Gauges whose names say that they are counters; `nodejs_active_handles` and the others say the same by type.
  for (const of of ['handles', 'requests', 'resources']) ofProcess.removeSingleMetric(`nodejs_active_${of}_total`)
  return ofProcess
}

/** What Prometheus reads: counters and durations of this process, with bounded labels and no content of tasks. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #labels = new Map<string, BoundedLabel>()
  readonly #counters: Record<string, Counter> = {}
  readonly #durations: Record<string, Histogram> = {}

  /**
   * @param streams how many event streams are open
   * @param runtime whose runs and memories are counted when somebody reads
   * @param watched what is looked at when somebody reads
   */
  constructor(
    streams: () => number,
    { activity, memory }: Partial<Pick<Runtime, 'activity' | 'memory'>> = {},
    watched?: { store: StoreWatch; providers: ProviderWatch },
  ) {
    const registers = [this.#registry]
    measureProcess()
    new Gauge({ name: 'svc_build_info', help: 'Version of svc.', labelNames: ['version'], registers }).set(
      { version: VERSION },
      1,
    )
    this.#gauge(
      'svc_runs_active',
      'Runs that this process holds, by status.',
      (gauge) => {
        for (const [status, count] of Object.entries(activity?.().runs ?? {})) gauge.set({ status }, count)
      },
      ['status'],
    )
    this.#gauge('svc_queue_depth', 'Runs that this process has taken in, and that nobody works on yet.', (gauge) =>
      gauge.set(activity?.().runs.queued ?? 0),
    )
    this.#gauge('svc_approvals_pending', 'Open questions to people, of runs that this process holds.', (gauge) =>
      gauge.set(activity?.().pendingApprovals ?? 0),
    )
    this.#gauge('svc_sse_clients', 'Open event streams.', (gauge) => gauge.set(streams()))
    this.#gauge(
      'svc_memory_records',
      'What is remembered, by layer.',
      async (gauge) => {
        // A memory that cannot be read says so where it is used; one that is away keeps nobody from the other metrics.
        const read = memory?.counts?.()
        const counts = read && (await within(READ_MS, read).catch(() => undefined))
        for (const [layer, count] of Object.entries(counts ?? {})) gauge.set({ layer }, count)
      },
      ['layer'],
    )
    if (watched !== undefined) this.#watch(watched)
    for (const [name, help, labelNames] of COUNTERS)
      this.#counters[name] = new Counter({ name, help, labelNames: [...labelNames], registers })
    for (const [name, help, labelNames, buckets] of DURATIONS)
      this.#durations[name] = new Histogram({ name, help, labelNames: [...labelNames], buckets, registers })
  }

  #watch({ store, providers }: { store: StoreWatch; providers: ProviderWatch }): void {
    this.#gauge(
      'svc_provider_up',
      'Whether the newest calls of this process reached a provider: 1, or 0 with the code of what is wrong.',
      async (gauge) => {
        const states = await providers.states()
        gauge.reset()
        for (const [provider, code] of states) gauge.set(this.#bound({ provider, code }), Number(code === 'ok'))
      },
      ['provider', 'code'],
    )
    this.#gauge(
      'svc_store_up',
      'Whether the store takes a write: 1, or 0 with the code of what is wrong.',
      async (gauge) => {
        const code = await store.state()
        gauge.reset()
        gauge.set({ code }, Number(code === 'ok'))
      },
      ['code'],
    )
    const ages = [
      ['svc_queue_age_seconds', 'Since the oldest queued run of this folder was asked for; 0: none waits.', 'queueAge'],
      ['svc_approval_age_seconds', 'Since the oldest open approval of this folder was asked for.', 'approvalAge'],
    ] as const
    for (const [name, help, of] of ages)
      this.#gauge(name, help, async (gauge) => {
        const age = await store[of]()
        // What nobody knows is no number.
        if (age === undefined) gauge.remove()
        else gauge.set(age)
      })
    store.onTimed((operation, seconds) => this.#observe('svc_store_operation_duration_seconds', { operation }, seconds))
  }

  async render(): Promise<string> {
    const texts = await Promise.all([ofProcess, this.#registry].map((registry) => registry.metrics()))
    return texts.join('\n')
  }

  request({ method, route, status, seconds }: RequestFacts): void {
    this.#count('svc_http_requests_total', { method, route, code: String(status) })
    this.#observe('svc_http_request_duration_seconds', { method, route }, seconds)
  }

  streamEnded(reason: string): void {
    this.#count('svc_sse_disconnects_total', { reason })
  }

  authFailed(): void {
    this.#count('svc_auth_failures_total', {})
  }

  measure(measured: Measurement): void {
    switch (measured.kind) {
      case 'tap': {
        const { hook, plugin, durationMs } = measured
        this.#observe('svc_hook_duration_seconds', { hook, plugin }, durationMs / 1000)
        return
      }
      case 'write':
        this.#observe('svc_log_fsync_seconds', {}, measured.durationMs / 1000)
        this.#observe('svc_store_operation_duration_seconds', { operation: 'write' }, measured.durationMs / 1000)
        return
      case 'log':
        this.#count('svc_log_bytes_total', {}, measured.bytes)
        return
      case 'run': {
        const { mode, status, verdict = '', durationMs, code } = measured
        this.#count('svc_runs_total', { mode, status, verdict })
        if (code !== undefined) this.#count('svc_runs_failed_total', { code })
        this.#observe('svc_run_duration_seconds', { mode }, durationMs / 1000)
      }
    }
  }

  apply(event: RunEvent): void {
    switch (event.type) {
      case 'run.recovered':
        this.#count('svc_recovered_runs_total', {})
        return
      case 'stage.completed':
        this.#observe('svc_stage_duration_seconds', { stage: event.stage ?? '' }, event.data.durationMs / 1000)
        return
      case 'model.completed':
      case 'model.failed':
        this.#applyModel(event)
        return
      case 'tool.completed':
      case 'tool.failed':
      case 'tool.denied': {
        const { tool = '', durationMs = 0 } = event.data
        this.#count('svc_tool_calls_total', { tool, outcome: event.type.slice('tool.'.length) })
        if (event.type !== 'tool.denied') this.#observe('svc_tool_duration_seconds', { tool }, durationMs / 1000)
        else this.#count('svc_policy_denials_total', { rule: event.data.rule })
        return
      }
      case 'consensus.resolved':
        this.#count('svc_consensus_total', { outcome: event.data.decision })
    }
  }

  #applyModel(event: RunEvent & { type: 'model.completed' | 'model.failed' }): void {
    const { provider, model, usage, costUsd } = event.data
    const which = { provider, model }
    // A recorded answer was paid for, and counted, in an earlier life of the run.
    if (event.type === 'model.completed' && event.data.cached) {
      this.#count('svc_model_requests_total', { ...which, outcome: 'cached' })
      return
    }
    this.#count('svc_model_requests_total', { ...which, outcome: event.type.slice('model.'.length) })
    if (event.type === 'model.failed')
      this.#count('svc_provider_errors_total', { provider, code: event.data.error.code })
    if (event.type === 'model.completed') {
      const { latencyMs, ttftMs } = event.data
      this.#observe('svc_model_request_duration_seconds', which, latencyMs / 1000)
      if (ttftMs !== undefined) this.#observe('svc_model_ttft_seconds', which, ttftMs / 1000)
    }
    if (usage !== undefined) {
      const byType = {
        input: usage.inputTokens,
        output: usage.outputTokens,
        cached: usage.cachedTokens ?? 0,
        cacheWrite: usage.cacheWriteTokens ?? 0,
        reasoning: usage.reasoningTokens ?? 0,
      }
      for (const [type, count] of Object.entries(byType)) {
        if (count > 0) this.#count('svc_tokens_total', { ...which, type }, count)
      }
    }
    if (typeof costUsd === 'number') this.#count('svc_cost_usd_total', which, costUsd)
  }

  #gauge(name: string, help: string, collect: (gauge: Gauge) => void | Promise<void>, labelNames: string[] = []): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [this.#registry],
      collect() {
        return collect(this)
      },
    })
  }

  #count(name: string, labels: Record<string, string>, by = 1): void {
    this.#counters[name]?.inc(this.#bound(labels), Math.max(0, by))
  }

  #observe(name: string, labels: Record<string, string>, seconds: number): void {
    this.#durations[name]?.observe(this.#bound(labels), seconds)
  }

  #bound(labels: Record<string, string>): Record<string, string> {
    const bound: Record<string, string> = {}
    for (const [name, value] of Object.entries(labels)) {
      let label = this.#labels.get(name)
      if (label === undefined) {
        label = new BoundedLabel()
        this.#labels.set(name, label)
      }
      bound[name] = label.of(value)
    }
    return bound
  }
}
