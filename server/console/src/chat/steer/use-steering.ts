import { SvcError } from '@svc/core/client'
import type { RunMessage, ThreadMessage } from '@svc/sdk/remote'
import { oneLine } from '../../parts/format.ts'
import { EMPTY_DRAFT, toRunCreate } from '../../runs/new-run/draft.ts'
import { mayDo, runtime } from '../../session/session.ts'
import { toError } from '../../session/use-load.ts'
import { changeDraft, draftOf, options } from '../composer/draft-state.ts'
import { focusField } from '../composer/focus-field.ts'
import { isAskedAfter, isOpenToWords, type Turn } from '../talk/turns.ts'
import type { Talk } from '../talk/use-messages.ts'
import type { Sending } from '../use-sending.ts'
import type { Start } from '../use-start.ts'
import { steer, toTask } from './sent.ts'

/** How long to wait until a message that is taken back has ended: where nobody works on runs, it never does. */
const MOST_WAIT_MS = 10_000
/** Of a message, for people who cannot see it. */
const MOST_SPOKEN = 80

/** What was pressed goes away, and the focus with it. On a touch screen a field that has it brings its keyboard up. */
function goOnWriting(): void {
  if (matchMedia('(pointer: fine)').matches) focusField()
}

interface Around {
  talk: Talk
  /** The run at work. */
  active: Turn | undefined
  sending: Sending
  start: Start
  announce: (text: string) => void
}

/** What a person says while a run is at work: to the run, or for after it. @param id of the conversation */
export function useSteering(id: string, { talk, active, sending, start, announce }: Around) {
  /** Makes words the next message, with the material that they had in another one. */
  const askFor = (task: string, { context, files }: Partial<ThreadMessage> = {}, key?: string): Promise<void> => {
    // What was read of its files is in the material.
    const material = context !== undefined ? { context } : files !== undefined ? { files } : {}
    return start({ ...toRunCreate({ ...EMPTY_DRAFT, ...options.value, task }), ...material }, material, key)
  }
  /** @returns whether there is a run at work that takes it */
  const say = async (text: string): Promise<boolean> => {
    if (active === undefined || !isOpenToWords(active)) return false
    try {
      await steer(active.runId, text)
      announce(`Sent, to be read before the next step: ${oneLine(text, MOST_SPOKEN)}`)
      return true
    } catch (thrown) {
      // It has ended meanwhile.
      if (toError(thrown).code === 'invalid_transition') return false
      throw thrown
    }
  }
  /** @throws SvcError `invalid_transition` where it has begun: it stays, with what it did */
  const remove = async ({ runId }: Turn): Promise<void> => {
    const { runs } = runtime.value
    const begun = (how: string): SvcError => new SvcError('invalid_transition', `It has begun meanwhile, and ${how}.`)
    if ((await runs.get(runId)).status !== 'queued') throw begun('was left as it is')
    await runs.cancel(runId, 'taken back before it began')
    // The process that ends it may be another one, and may have begun it since.
    const { status, usage } = await runs.wait(runId, MOST_WAIT_MS)
    if (usage.inputTokens + usage.outputTokens > 0) {
      talk.refresh()
      throw begun(status === 'cancelled' ? 'was stopped' : 'was left as it is')
    }
    // What never began need not stand in the conversation; who may not remove it sees it as taken back.
    if (status === 'cancelled' && mayDo('admin')) await runs.delete(runId).catch(() => {})
    talk.refresh()
    goOnWriting()
  }
  /** Words that could not be sent are not lost: they are there to be sent again. */
  const orKeep = async (text: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (thrown) {
      if (draftOf(id).text === '') changeDraft(id, { text })
      throw thrown
    }
  }
  const ofTurns = {
    remove,
    replace: (turn: Turn, task: string): void =>
      void sending.once(() =>
        orKeep(task, async () => {
          await remove(turn)
          await askFor(task, turn.asked)
        }),
      ),
    async sayNow(turn: Turn): Promise<void> {
      await remove(turn)
      await orKeep(turn.task, async () => {
        if (!(await say(turn.task))) await askFor(turn.task)
      })
    },
    async sendUnread(messages: readonly RunMessage[]): Promise<void> {
      await askFor(toTask(messages), {}, `unread-${messages[0]?.id}`)
      goOnWriting()
    },
    isAskedAfter: (turn: Turn, text: string): boolean => isAskedAfter(talk.turns, turn, text),
  }
  return { say, ofTurns }
}
