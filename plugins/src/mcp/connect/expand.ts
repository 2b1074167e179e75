import { ConfigError } from '@svc/core'

/** `${NAME}`, `${NAME:-default}` and `{env:NAME}`. */
const PLACEHOLDER = /\$\{([A-Za-z_]\w{0,99})(?::-([^{}]{0,1000}))?\}|\{env:([A-Za-z_]\w{0,99})\}/g

/**
 * Values with their placeholders replaced by variables.
 *
 * @param path of the values in the config, for messages
 * @throws ConfigError `config_invalid` naming a variable that is not set
 */
export function expandAll(
  values: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>>,
  path: string,
): Record<string, string> {
  const expand = (name: string, text: string): string =>
    text.replaceAll(PLACEHOLDER, (_whole, plain?: string, fallback?: string, named?: string) => {
      const variable = plain ?? named ?? ''
      const value = env[variable] ?? fallback
      if (value !== undefined) return value
      throw new ConfigError('config_invalid', `${path}/${name} names the variable ${variable}, which is not set`)
    })
  return Object.fromEntries(Object.entries(values).map(([name, text]) => [name, expand(name, text)]))
}
