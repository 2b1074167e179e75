import type { EventType } from '../../contracts/log/event.ts'

/** Events that tell of a run's life as such. */
export const RUN_LIFE: readonly EventType[] = [
  'run.created',
  'run.queued',
  'run.started',
  'run.waiting',
  'run.resumed',
  'run.recovered',
  'run.cancelling',
  'run.completed',
  'run.incomplete',
  'run.failed',
  'run.cancelled',
]
