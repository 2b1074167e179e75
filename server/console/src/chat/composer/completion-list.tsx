import type { useCompletion } from './use-completion.ts'

interface CompletionListProps {
  completion: ReturnType<typeof useCompletion>
  onTake: (value: string) => void
}

/** What can be completed, above the field; keys choose in the field itself. */
export function CompletionList({ completion: { of, found, chosen }, onTake }: CompletionListProps) {
  return (
    <>
      <div
        id="chat-completions"
        class="chat-completions"
        role="listbox"
        aria-label={of?.kind === 'command' ? 'Commands' : 'Files of the workspace'}
      >
        {found.map(({ value, about }, index) => (
          <div
            key={value}
            id={`chat-completion-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onMouseDown={(event) => {
              event.preventDefault()
              onTake(value)
            }}
          >
            <span class="mono clip">{value}</span> <span class="small soft clip">{about}</span>
          </div>
        ))}
      </div>
      <p class="hidden-label" role="status">
        {found.length === 1 ? '1 completion' : `${found.length} completions`}
      </p>
    </>
  )
}
