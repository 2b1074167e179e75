import { useRef } from 'preact/hooks'

/** Whether a run of the conversation goes on: one that takes messages, one that takes none, or one that is being stopped. */
export type WorkState = 'none' | 'open' | 'busy' | 'stopping'

interface ButtonsProps {
  /** The one that is asked where none is chosen; empty where one is. */
  model: string
  work: WorkState
  isEmpty: boolean
  /** Whether it can be said to the run at work, and sent as the next message as well. */
  isChoice: boolean
  isSending: boolean
  hasOptions: boolean
  onOptions: () => void
  onFiles: (files: readonly File[]) => void
  onStop: () => void
  /** Sends it as the next message. */
  onNext: () => void
}

/** What stands below the field in which a message is written. */
export function Buttons(props: ButtonsProps) {
  const { model, work, isEmpty, isChoice, isSending, hasOptions, onOptions, onFiles, onStop, onNext } = props
  const picker = useRef<HTMLInputElement>(null)
  return (
    <div class="chat-buttons">
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])])
          currentTarget.value = ''
        }}
      />
      <button
        type="button"
        class="plain"
        aria-label="Attach files"
        title="Attach files"
        onClick={() => picker.current?.click()}
      >
        +
      </button>
      <button type="button" class="plain small" aria-expanded={hasOptions} onClick={onOptions}>
        Options
      </button>
      <span class="tiny soft clip chat-model">
        {model}
        {model.startsWith('offline/') && ', no language model'}
      </span>
      {work !== 'none' && (
        <button type="button" class="chat-stop" disabled={work === 'stopping'} onClick={onStop}>
          {work === 'stopping' ? 'Stopping…' : 'Stop'}
        </button>
      )}
      {isChoice && (
        <button type="button" aria-keyshortcuts="Alt+Enter" disabled={isSending} onClick={onNext}>
          Send next
        </button>
      )}
      {(work === 'none' || !isEmpty) && (
        <button type="submit" class="primary" disabled={isEmpty || isSending}>
          {isSending ? 'Sending…' : work === 'none' || isChoice ? 'Send' : 'Send next'}
        </button>
      )}
    </div>
  )
}
