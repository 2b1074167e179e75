import { useSignal } from '@preact/signals'
import type { UndoResult } from '@svc/sdk/remote'
import { useLayoutEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { EMPTY_DRAFT, toRunCreate } from '../../runs/new-run/draft.ts'
import { mayDo, runtime } from '../../session/session.ts'
import { DEFAULTS, options } from '../composer/draft-state.ts'
import type { Turn } from '../talk/turns.ts'
import type { Sending } from '../use-sending.ts'
import { type Again, findChanges, putBack, sendAgain } from './send-again.ts'

/** Files that may be put back, and what is done then. */
interface PutBack {
  found: UndoResult
  again: Again
  /** Whether the message is sent again then. */
  sends: boolean
}

/** Sends earlier messages again, and asks before files are put back. @param id of the conversation */
export function useAgain(id: string, turns: readonly Turn[], { once, note, problem }: Sending) {
  const { route } = useLocation()
  const asked = useSignal<PutBack | undefined>(undefined)
  const close = (): void => {
    asked.value = undefined
  }
  useLayoutEffect(close, [id])
  const send = async (what: Again): Promise<void> => {
    const create = toRunCreate({ ...EMPTY_DRAFT, ...DEFAULTS, ...options.value, task: what.task })
    const { threadId } = await sendAgain(runtime.value, id, what, create)
    close()
    route(`/console/chat/${threadId}`)
  }
  return {
    asked: asked.value,
    close,
    again(turn: Turn, task: string): void {
      const later = turns.slice(turns.indexOf(turn) + 1).map(({ runId }) => runId)
      const what = { turn, task, later }
      void once(async () => {
        const found = await findChanges(runtime.value, what)
        if (found === undefined) await send(what)
        else asked.value = { found, again: what, sends: true }
      })
    },
    async undo(): Promise<void> {
      const turn = turns.at(-1)
      if (turn === undefined) problem.value = 'Nothing was done in this conversation yet.'
      else if (!mayDo('admin')) problem.value = 'The key of this tab is not for this: it needs the scope admin.'
      else {
        const what = { turn, task: '', later: [] }
        const found = await findChanges(runtime.value, what)
        if (found === undefined) note.value = 'The last turn changed no files that can be put back.'
        else asked.value = { found, again: what, sends: false }
      }
    },
    async putBack({ again: what, sends }: PutBack): Promise<void> {
      const { files } = await putBack(runtime.value, what)
      if (sends) return send(what)
      close()
      note.value = `Put back: ${files.map(({ path }) => path).join(', ')}.`
    },
    keepFiles: ({ again: what }: PutBack): Promise<void> => send(what),
  }
}
