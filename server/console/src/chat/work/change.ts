import type { ToolCallView } from '@svc/core/client'

/** What a call of the file tools changes, as lines taken away and put there; undefined of other calls. */
export function toChange({ tool, args }: Pick<ToolCallView, 'tool' | 'args'>): string | undefined {
  const { path, content, edits } = (args ?? {}) as Record<string, unknown>
  if (tool === 'write_file' && typeof content === 'string')
    return [`+++ ${String(path)}`, ...marked('+', content)].join('\n')
  if (tool !== 'edit_file' || !Array.isArray(edits)) return undefined
  const lines = edits.flatMap((edit: unknown) => {
    const { find, replace } = (edit ?? {}) as Record<string, unknown>
    return ['@@', ...marked('-', find), ...marked('+', replace)]
  })
  return [`+++ ${String(path)}`, ...lines].join('\n')
}

const marked = (sign: string, text: unknown): string[] =>
  typeof text === 'string' && text !== ''
    ? text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => sign + line)
    : []
