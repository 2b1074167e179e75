import type { RuntimeInfo } from '@svc/sdk/remote'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Problems } from '../../runs/new-run/draft.ts'
import { Buttons, type WorkState } from './buttons.tsx'
import { Chips } from './chips.tsx'
import { complete } from './completion.ts'
import { CompletionList } from './completion-list.tsx'
import { changeDraft, draftOf, options } from './draft-state.ts'
import { OptionsPanel } from './options-panel.tsx'
import { ProviderLine } from './provider-line.tsx'
import { useCompletion } from './use-completion.ts'

interface ComposerProps {
  /** Of the conversation; empty: a new one. */
  id: string
  info: RuntimeInfo | undefined
  /** What was asked last, which the arrow key brings back. */
  last: string
  work: WorkState
  isSending: boolean
  /** What is wrong with what is written, beside problems of options. */
  problem: string | undefined
  problems: Problems
  /** What has just happened. */
  note: string
  /** @param isNext as the next message, though the run at work would take it */
  onSend: (isNext: boolean) => void
  onStop: () => void
  onFiles: (files: readonly File[]) => void
}

const PLACEHOLDERS = {
  none: 'Ask or say what is to be done',
  open: 'Say something to the run at work',
  busy: 'Say what comes next',
  stopping: 'Say what comes next',
} as const

const CHOICE = 'Enter: the run at work reads it before its next step. Alt+Enter: it begins when this run has ended.'
const NEXT = 'It is sent now, and begins when the run at work has ended.'

/** Where the next message is written. */
export function Composer(props: ComposerProps) {
  const { id, info, last, work, isSending, problem, problems, note, onSend, onStop, onFiles } = props
  const { text, files, attachments } = draftOf(id)
  const field = useRef<HTMLTextAreaElement>(null)
  const [caret, setCaret] = useState(text.length)
  const [hasOptions, setOptions] = useState(false)
  const completion = useCompletion(text, caret)
  const isEmpty = text.trim() === ''
  // What has files is a message of its own.
  const isChoice = work === 'open' && !isEmpty && files.length + attachments.length === 0
  const isRefused = Object.keys(problems).length > 0
  useLayoutEffect(() => {
    if (isRefused) setOptions(true)
  }, [isRefused])
  // Who has a keyboard goes on typing.
  useLayoutEffect(() => {
    if (matchMedia('(pointer: fine)').matches) field.current?.focus({ preventScroll: true })
  }, [id])
  const write = (value: string, at = value.length): void => {
    changeDraft(id, { text: value })
    setCaret(at)
    requestAnimationFrame(() => field.current?.setSelectionRange(at, at))
  }
  const take = (value: string): void => {
    const { of } = completion
    if (of === undefined) return
    const done = complete(text, caret, of, value)
    if (of.kind === 'file' && !files.includes(value)) changeDraft(id, { files: [...files, value] })
    write(done.text, done.caret)
    field.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return
    const { found, chosen, move, close } = completion
    const isListed = found.length > 0
    if (isListed && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault()
      move(event.key === 'ArrowDown' ? 1 : -1)
    } else if (isListed && event.key === 'Escape') {
      event.preventDefault()
      close()
    } else if (isListed && (event.key === 'Tab' || event.key === 'Enter') && !isWhole()) {
      event.preventDefault()
      take(found[chosen]?.value ?? '')
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      onSend(event.altKey)
    } else if (event.key === 'ArrowUp' && text === '' && last !== '') {
      event.preventDefault()
      write(last)
    }
  }
  /** A command that is written in full is sent by Enter, as a message is. */
  const isWhole = (): boolean =>
    completion.of?.kind === 'command' && completion.found.some(({ value }) => value === text.trim())
  const isListed = completion.found.length > 0
  return (
    <form
      class="chat-composer"
      aria-label="New message"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        onSend(false)
      }}
    >
      {hasOptions && <OptionsPanel problems={problems} />}
      {isListed && <CompletionList completion={completion} onTake={take} />}
      <div class="chat-box">
        <Chips id={id} />
        <textarea
          ref={field}
          aria-label="Message"
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={isListed ? 'chat-completions' : undefined}
          aria-activedescendant={isListed ? `chat-completion-${completion.chosen}` : undefined}
          aria-describedby="chat-problem"
          aria-invalid={problem !== undefined}
          placeholder={PLACEHOLDERS[work]}
          rows={Math.min(10, text.split('\n').length)}
          value={text}
          onInput={({ currentTarget }) => {
            setCaret(currentTarget.selectionStart)
            changeDraft(id, { text: currentTarget.value })
          }}
          onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            const pasted = [...(event.clipboardData?.files ?? [])]
            if (pasted.length === 0) return
            event.preventDefault()
            onFiles(pasted)
          }}
        />
        <Buttons
          model={options.value.model === '' ? (info?.defaultModel ?? '') : ''}
          work={work}
          isEmpty={isEmpty}
          isChoice={isChoice}
          isSending={isSending}
          hasOptions={hasOptions}
          onOptions={() => setOptions(!hasOptions)}
          onFiles={onFiles}
          onStop={onStop}
          onNext={() => onSend(true)}
        />
      </div>
      <div id="chat-problem" role="alert">
        {problem !== undefined && <p class="small error-text">{problem}</p>}
      </div>
      <p class="tiny soft chat-note" role="status">
        {note !== '' ? note : work === 'none' || isEmpty ? '' : isChoice ? CHOICE : NEXT}
      </p>
      <ProviderLine info={info} isNew={id === ''} />
    </form>
  )
}
