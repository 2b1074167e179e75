import type { ToolConfig } from '@svc/core'

export default {
  description: 'How long it takes to read so many words aloud.',
  parameters: { type: 'object', properties: { words: { type: 'integer', minimum: 1 } }, required: ['words'] },
  risk: 'read',
  run: ({ words }: { words: number }) => ({ seconds: Math.ceil((words / 150) * 60) }),
} satisfies ToolConfig
