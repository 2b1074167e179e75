import {
  type Change,
  type ErrorInfo,
  isTerminalEvent,
  type RunEvent,
  type Stage,
  type WorkStatus,
} from '@svc/core/client'

/** The stages in the order in which a task runs through them. */
export const STAGES: readonly Stage[] = ['analyze', 'allocate', 'plan', 'execute', 'reflect', 'consensus', 'inspect']

/** What one tap did, as the log has it. */
export interface TapView {
  plugin: string
  tap: string
  durationMs: number
  answered: boolean
  tokens?: number
  changes?: Change[]
}

/** One pass through a stage; a retry or a new plan makes another one. */
export interface StageRound {
  startedAt: number
  endedAt?: number
  /** Plugins that were asked, in order. */
  plugins: readonly string[]
  /** Whose answer stands; empty: nobody answered. */
  plugin?: string
  durationMs?: number
  taps: readonly TapView[]
  error?: ErrorInfo
  /** Number of the event that began it. */
  seq: number
  /** Of the stage that does the work: whether a step was finished, and whether one failed. */
  isFruitful?: boolean
  hasFailures?: boolean
  /** The run ended within it. */
  isCut?: boolean
}

/**
 * `idle`: it may come yet; `skipped`: the run went on, or ended, without it; `cancelled`: the run ended within it;
 * `waiting` for a person; `pending`: it was left unfinished.
 */
export type StageState = WorkStatus | 'idle' | 'unanswered'

/** A stage as the strip shows it. */
export class StageView {
  readonly stage: Stage
  readonly rounds: StageRound[] = []
  /** Tokens of the model calls that were made in it. */
  tokens = 0
  modelCalls = 0
  /** The run is beyond it. */
  isPassed = false

  constructor(stage: Stage) {
    this.stage = stage
  }

  get newest(): StageRound | undefined {
    return this.rounds.at(-1)
  }

  get state(): StageState {
    const { newest } = this
    if (newest === undefined) return this.isPassed ? 'skipped' : 'idle'
    if (newest.isCut || newest.error?.code === 'cancelled') return 'cancelled'
    if (newest.error !== undefined) return 'failed'
    if (newest.endedAt === undefined) return 'running'
    if (newest.hasFailures && !newest.isFruitful) return 'failed'
    return newest.plugin === '' ? 'unanswered' : 'completed'
  }

  /** Time in all its rounds, of one that goes on until `now`. */
  durationMs(now: number): number {
    let total = 0
    for (const { durationMs, startedAt, endedAt } of this.rounds)
      total += durationMs ?? Math.max(0, (endedAt ?? now) - startedAt)
    return total
  }
}

/** The seven stages of a run, event by event. */
export class StageViews {
  readonly all: readonly StageView[] = STAGES.map((stage) => new StageView(stage))

  get(stage: Stage | undefined): StageView | undefined {
    return this.all.find((view) => view.stage === stage)
  }

  apply(event: RunEvent): void {
    const at = Date.parse(event.time)
    if (isTerminalEvent(event))
      for (const one of this.all) {
        one.isPassed = true
        if (one.state === 'running') Object.assign(one.newest ?? {}, { endedAt: at, isCut: true })
      }
    const view = this.get(event.stage)
    if (view === undefined || event.seq === undefined) return
    const { newest } = view
    switch (event.type) {
      case 'stage.started':
        for (const earlier of this.all.slice(0, this.all.indexOf(view))) earlier.isPassed = true
        view.rounds.push({ startedAt: at, plugins: event.data.plugins, taps: [], seq: event.seq })
        return
      case 'stage.completed':
      case 'stage.failed':
        if (newest !== undefined) Object.assign(newest, { ...event.data, taps: event.data.taps ?? [], endedAt: at })
        return
      case 'step.completed':
        if (newest !== undefined) newest.isFruitful = true
        return
      case 'step.failed':
        if (newest !== undefined) newest.hasFailures = true
        return
      case 'model.completed':
      case 'model.failed': {
        const { inputTokens = 0, outputTokens = 0 } = event.data.usage ?? {}
        view.modelCalls++
        view.tokens += inputTokens + outputTokens
      }
    }
  }
}
