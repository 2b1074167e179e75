/** What git does by itself, switched off. A key given so is exact, whatever signs are in it, and wins over every file. */
export const QUIET_SETTINGS: readonly (readonly [string, string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.sshCommand', 'false'],
  ['core.editor', 'false'],
  ['core.askPass', 'false'],
  ['credential.helper', ''],
  ['core.attributesFile', '/dev/null'],
  ['core.excludesFile', '/dev/null'],
  ['diff.external', ''],
  ['log.showSignature', 'false'],
  ['gpg.program', 'false'],
  ['status.submoduleSummary', 'false'],
  ['submodule.recurse', 'false'],
  ['protocol.allow', 'never'],
  ['safe.bareRepository', 'explicit'],
  ['color.ui', 'false'],
]

/**
 * The environment of a git that looks at one repository, wherever that is owned, and runs nothing that it names.
 *
 * @param settings git's, by key; they go before those of every file
 */
export function toGitEnvironment(
  { top, gitDir }: { top: string; gitDir: string },
  settings: readonly (readonly [string, string])[],
): Record<string, string> {
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ])
  return {
    HOME: '/dev/null',
    GIT_DIR: gitDir,
    GIT_WORK_TREE: top,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    // what is not there is not fetched, which would run a program that the repository names
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(pairs),
  }
}
