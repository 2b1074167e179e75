/** Variables in texts of a config, in each spelling that programs with MCP servers use. */
const PLACES = /\$\{(?:env:)?([A-Za-z_]\w{0,199})(?::-([^}]{0,2000}))?\}|\{env:([A-Za-z_]\w{0,199})\}/g

/** The names of the variables of a text, each once: of `${NAME}`, `${NAME:-default}`, `${env:NAME}` and `{env:NAME}`. */
export const variablesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(PLACES)].map(([, name, , other]) => name ?? other ?? '')),
]

/**
 * Puts the values of variables into a text. A default counts where the variable is unset or empty.
 *
 * @param onMissing answers what stands for a variable that is unset and has no default, or throws
 */
export function expandVariables(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  onMissing: (name: string) => string,
): string {
  return text.replace(PLACES, (_all, braced?: string, fallback?: string, named?: string) => {
    const name = braced ?? named ?? ''
    const value = env[name]
    if (fallback !== undefined) return value === undefined || value === '' ? fallback : value
    return value ?? onMissing(name)
  })
}
