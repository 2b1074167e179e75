import type { RunEvent } from '@svc/core'
import { type Io, toSafe } from '../frame/io.ts'
import type { Progress } from '../progress/progress.ts'

/** Progress that makes way for the answer while it comes. */
export interface Streamed extends Progress {
  /** Whether this text stands on the screen already, as the last thing that was said. */
  hasSaid(text: string): boolean
}

/**
 * Prints the answer of a single agent as it comes; a team's answers come together at the end.
 *
 * @param isOn false: nothing is printed before the end
 */
export function createStreamed(io: Io, progress: Progress, isOn: boolean): Streamed {
  let isTeam = false
  let text = ''
  let isOpen = false
  const close = (): void => {
    if (isOpen) io.out('\n')
    isOpen = false
  }
  const isPiece = (event: RunEvent): boolean => event.type === 'message.delta' && event.stage === 'execute'
  return {
    show(event) {
      if (event.type === 'plan.created') isTeam = event.data.agents.length > 1
      if (isOn && !isTeam && isPiece(event) && event.type === 'message.delta') {
        if (!isOpen) {
          progress.end()
          text = ''
        }
        isOpen = true
        text += event.data.text
        io.out(toSafe(event.data.text))
        return
      }
      if (!ENDS.has(event.type) && isOpen) return
      close()
      if (event.type === 'message.reset') {
        const why = TAKEN_BACK[event.data.reason]
        if (text !== '' && why !== undefined) io.err(`${io.paint.dim(`svc: what stands above ${why}`)}\n`)
        text = ''
      }
      progress.show(event)
    },
    pause(work) {
      close()
      return progress.pause(work)
    },
    end() {
      close()
      progress.end()
    },
    hasSaid: (answer) => text !== '' && toSafe(text).trim() === toSafe(answer).trim(),
  }
}

/** What was said before a tool was called may stand there: it is only not the answer. */
const TAKEN_BACK: Readonly<Record<string, string>> = {
  retry: 'is not the answer: another one follows',
  model_failed: 'was cut off',
}

const ENDS: ReadonlySet<RunEvent['type']> = new Set<RunEvent['type']>([
  'model.completed',
  'model.failed',
  'model.retrying',
  'message.completed',
  'message.reset',
  'run.waiting',
])
