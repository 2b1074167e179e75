import type Anthropic from '@anthropic-ai/sdk'
import type OpenAI from 'openai'

// `string`, since the packages may not be installed where our types are read.

/** The general model that the types of the `openai` package name first. */
export const OPENAI_DEFAULT_MODEL: string = 'gpt-5.6-sol' satisfies OpenAI.ChatModel
/** The general model that the `@anthropic-ai/sdk` package names in its first example. */
export const ANTHROPIC_DEFAULT_MODEL: string = 'claude-opus-5-5' satisfies Anthropic.Model
