import type { ProviderConfig } from '@svc/core'
import { ANTHROPIC, OPENAI } from './endpoint.ts'

/**
 * Providers that need a key and nothing else. All but the first two speak OpenAI's chat format; their default models are
 * the general ones that their own pages name, as aliases that move with them where there are such.
 *
 * Order counts: it is the order in which the environment is searched for keys.
 */
export const PRESETS: Readonly<Record<string, ProviderConfig>> = {
  anthropic: { type: 'anthropic', name: 'Anthropic' },
  openai: { type: 'openai', name: 'OpenAI' },
  openrouter: {
    type: 'openai',
    name: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    apiKeyEnv: 'OPENROUTER_API_KEY',
    defaultModel: 'openrouter/auto',
  },
  gemini: {
    type: 'openai',
    name: 'Google Gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    apiKeyEnv: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    defaultModel: 'gemini-flash-latest',
    models: { 'gemini-flash-latest': { json: 'schema' }, 'gemini-pro-latest': { json: 'schema' } },
    quirks: { stripParams: ['seed'] },
  },
  mistral: {
    type: 'openai',
    name: 'Mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    apiKeyEnv: 'MISTRAL_API_KEY',
    defaultModel: 'mistral-medium-latest',
    models: { 'mistral-medium-latest': { json: 'schema' } },
    // It knows no `seed` and refuses fields that it does not know; it caches what requests with one key begin with.
    quirks: { noStreamUsage: true, stripParams: ['seed'], extraBody: { prompt_cache_key: 'svc' } },
  },
  groq: {
    type: 'openai',
    name: 'Groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    apiKeyEnv: 'GROQ_API_KEY',
    defaultModel: 'openai/gpt-oss-120b',
  },
  deepseek: {
    type: 'openai',
    name: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com/v1',
    apiKeyEnv: 'DEEPSEEK_API_KEY',
    defaultModel: 'deepseek-chat',
  },
  xai: {
    type: 'openai',
    name: 'xAI',
    baseUrl: 'https://api.x.ai/v1',
    apiKeyEnv: 'XAI_API_KEY',
    defaultModel: 'grok-4',
    models: { 'grok-4': { json: 'schema' } },
    // Its reasoning models refuse stop sequences.
    quirks: { stripParams: ['stop'] },
  },
  together: {
    type: 'openai',
    name: 'Together AI',
    baseUrl: 'https://api.together.xyz/v1',
    apiKeyEnv: 'TOGETHER_API_KEY',
    defaultModel: 'openai/gpt-oss-120b',
  },
  ollama: {
    type: 'openai',
    name: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    defaultModel: 'llama3.2',
    models: { 'llama3.2': { json: 'schema' } },
    discover: true,
  },
  lmstudio: {
    type: 'openai',
    name: 'LM Studio',
    baseUrl: 'http://127.0.0.1:1234/v1',
    discover: true,
  },
}

/** The variables that a preset's key is looked for in; empty for a preset that needs none. */
export function keyVariablesOf({ apiKeyEnv = [], baseUrl, type }: ProviderConfig): readonly string[] {
  if (apiKeyEnv.length > 0) return typeof apiKeyEnv === 'string' ? [apiKeyEnv] : apiKeyEnv
  // A package of the AI SDK knows its own variable.
  if (baseUrl !== undefined || type === 'aisdk') return []
  return [type === 'anthropic' ? ANTHROPIC.keyEnv : OPENAI.keyEnv]
}

/** Every variable that a key is looked for in, in the order in which they are asked. */
export const KEY_VARIABLES: readonly string[] = ['SVC_MODEL_API_KEY', ...Object.values(PRESETS).flatMap(keyVariablesOf)]
