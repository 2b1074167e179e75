/** Files that decide what is run: a person is asked before one is written, whatever is allowed. */
import { show } from './file-errors.ts'
import { isInside, type Place } from './workspace.ts'

/** What a config adds to the files that are always asked about. Absolute paths with links resolved. */
export interface Guarded {
  /** The person's own folders of svc. */
  readonly folders: readonly string[]
  /** Programs and scripts that the commands of tools name. */
  readonly programs: readonly string[]
}

export const NOTHING_GUARDED: Guarded = { folders: [], programs: [] }

/** Folders whose files run by themselves, or when something else does. */
const FOLDERS = new Set(
  '.svc .github .circleci .husky .githooks .vscode .idea .devcontainer .cargo .config node_modules'.split(' '),
)
/** Files that name what is run, in lower case. */
const FILES = new Set(
  (
    'package.json .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs pnpm-workspace.yaml deno.json deno.jsonc ' +
    'makefile gnumakefile bsdmakefile cmakelists.txt justfile .justfile taskfile.yml taskfile.yaml ' +
    'pyproject.toml setup.py setup.cfg tox.ini noxfile.py cargo.toml build.rs gemfile rakefile composer.json ' +
    'pom.xml build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradlew mvnw ' +
    'dockerfile containerfile compose.yaml compose.yml docker-compose.yaml docker-compose.yml vagrantfile ' +
    'jenkinsfile .gitlab-ci.yml .pre-commit-config.yaml .envrc .mcp.json'
  ).split(' '),
)
/** svc's configs, `.env` files, and parts of makefiles and Dockerfiles. */
const PATTERNS = [/^svc\.config\./, /^\.svcrc(\.|$)/, /^\.env(\.|$)/, /\.mk$/, /^dockerfile\./]

/** Why a person has to be asked before a file is written; undefined where that is for the rules to say. */
export function whyAsk({ root, real, relative }: Place, { folders, programs }: Guarded): string | undefined {
  // names are the same in any case where a file system says so
  const segments = real.slice(root.length).toLowerCase().split(/[/\\]/).filter(Boolean)
  const name = segments.at(-1) ?? ''
  if (folders.some((folder) => isInside(folder, real))) return `${show(relative)} lies in a folder of svc's own`
  if (programs.includes(real)) return `${show(relative)} is run by a tool`
  const folder = segments.slice(0, -1).find((segment) => FOLDERS.has(segment))
  if (folder !== undefined) return `${show(relative)} lies in ${folder}, whose files decide what is run`
  if (FILES.has(name) || PATTERNS.some((pattern) => pattern.test(name))) return `${show(relative)} decides what is run`
  return undefined
}
