import type { ComponentChildren } from 'preact'
import { formatCount } from '../../parts/format.ts'
import { type ChatOptions, changeDraft, changeOptions, DEFAULTS, draftOf, options } from './draft-state.ts'

const NAMES: Readonly<Record<keyof ChatOptions, (value: string) => string>> = {
  model: (value) => value,
  mode: (value) => `${value} only`,
  topology: (value) => value.toLowerCase(),
  riskLevel: (value) => `${value} risk`,
  tokenBudget: (value) => (/^\d+$/.test(value) ? `${formatCount(Number(value))} tokens` : value),
  maxCostUsd: (value) => `at most $${value}`,
}

/** What goes with the next message, and what differs from the defaults; each can be taken away. */
export function Chips({ id }: { id: string }) {
  const { files, attachments } = draftOf(id)
  const changed = (Object.keys(DEFAULTS) as (keyof ChatOptions)[]).filter(
    (name) => options.value[name].trim() !== DEFAULTS[name],
  )
  if (files.length + attachments.length + changed.length === 0) return null
  return (
    <ul class="chat-chips" aria-label="Goes with the message">
      {files.map((name) => (
        <Chip
          key={`file ${name}`}
          name={name}
          onRemove={() => changeDraft(id, { files: files.filter((other) => other !== name) })}
        >
          <span aria-hidden="true">@</span>
          <span class="mono clip">{name}</span>
        </Chip>
      ))}
      {attachments.map((one, index) => (
        <Chip
          key={`attached ${index} ${one.name}`}
          name={one.name}
          onRemove={() => changeDraft(id, { attachments: attachments.filter((other) => other !== one) })}
        >
          <span aria-hidden="true">▤</span>
          <span class="clip">{one.name}</span>
          <span class="tiny soft">{formatCount(Math.ceil(one.bytes / 1_024))} KiB</span>
        </Chip>
      ))}
      {changed.map((name) => {
        const text = NAMES[name](options.value[name].trim())
        return (
          <Chip key={name} name={text} onRemove={() => changeOptions({ [name]: DEFAULTS[name] })}>
            <span class="clip">{text}</span>
          </Chip>
        )
      })}
    </ul>
  )
}

function Chip({ name, onRemove, children }: { name: string; onRemove: () => void; children: ComponentChildren }) {
  return (
    <li class="chat-chip">
      {children}
      <button type="button" class="plain" aria-label={`Take away ${name}`} onClick={onRemove}>
        ✕
      </button>
    </li>
  )
}
