import { ConfigError } from '@svc/core'

/** The vendors' packages, which are optional: the versions that the manifest takes as peers, and the one to install. */
const PACKAGES = {
  openai: { format: "OpenAI's", versions: '^6.0.0 || ^7.0.0', install: 'openai@6' },
  '@anthropic-ai/sdk': { format: "Anthropic's", versions: '^1.0.0', install: '@anthropic-ai/sdk@1' },
} as const

// Each import is a literal inside a `try`: so a bundler takes the package in, or leaves it out where there is none.

/** @throws ConfigError `no_provider` naming what to install */
export async function loadOpenaiPackage(): Promise<typeof import('openai')> {
  try {
    return await import('openai')
  } catch (thrown) {
    throw toMissing('openai', thrown)
  }
}

/** @throws ConfigError `no_provider` naming what to install */
export async function loadAnthropicPackage(): Promise<typeof import('@anthropic-ai/sdk')> {
  try {
    return await import('@anthropic-ai/sdk')
  } catch (thrown) {
    throw toMissing('@anthropic-ai/sdk', thrown)
  }
}

/** @throws ConfigError `no_provider` naming what to install */
export async function loadSchemaTransform(): Promise<typeof import('@anthropic-ai/sdk/lib/transform-json-schema')> {
  try {
    return await import('@anthropic-ai/sdk/lib/transform-json-schema')
  } catch (thrown) {
    throw toMissing('@anthropic-ai/sdk', thrown)
  }
}

function toMissing(name: keyof typeof PACKAGES, thrown: unknown): ConfigError {
  const { format, versions, install } = PACKAGES[name]
  const { code, message } = thrown as { code?: unknown; message?: unknown }
  const text = String(message ?? thrown).split('\n')[0] ?? ''
  const isAbsent = (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && text.includes(`'${name}`)
  const finding = isAbsent ? 'is not installed' : `cannot be loaded (${text})`
  return new ConfigError(
    'no_provider',
    `requests in ${format} format need the package ${name} (${versions}), which ${finding}. Fix: npm install ${install}`,
    { cause: thrown },
  )
}
