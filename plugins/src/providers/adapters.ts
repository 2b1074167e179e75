import type { ProviderAdapter } from '@svc/core'
import { createOfflineProvider } from '../offline/index.ts'
import { aisdk } from './aisdk/aisdk.ts'
import { anthropic } from './anthropic/anthropic.ts'
import { openai } from './openai/openai.ts'
import { openaiResponses } from './openai/openai-responses.ts'

/** The wire formats that svc brings along; `Host.adapters` takes more, and a provider's config names one as its `type`. */
export const ADAPTERS = {
  openai,
  'openai-responses': openaiResponses,
  anthropic,
  aisdk,
  offline: () => createOfflineProvider(),
} as const satisfies Readonly<Record<string, ProviderAdapter>>
