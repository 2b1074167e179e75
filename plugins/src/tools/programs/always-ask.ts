/** Files that decide what is run: a person is asked before one is written, whatever is allowed. */
import { show } from '../files/file-errors.ts'
import { isInside, type WorkspacePath } from '../files/workspace.ts'
import { foldersOfGit } from '../git/git-names.ts'
import { findGitPrograms } from '../git/git-programs.ts'

/** What a config adds to the files that are always asked about. Absolute paths. */
export interface Guarded {
  /** The person's own folders of svc. */
  readonly folders: readonly string[]
  /** Programs and scripts that the commands of tools name, and files that svc loads; as they are named, and with links resolved. */
  readonly programs: readonly string[]
}

export const NOTHING_GUARDED: Guarded = { folders: [], programs: [] }

/** Folders whose files run by themselves, or when something else does. */
export const GUARDED_FOLDERS: ReadonlySet<string> = new Set(
  (
    '.svc .github .gitea .forgejo .circleci .buildkite .husky .githooks .vscode .idea .devcontainer .cargo .config ' +
    '.ssh .gnupg .local .yarn .claude .cursor .gemini launchagents node_modules'
  ).split(' '),
)
/** Files that name what is run, in lower case. */
const FILES = new Set(
  (
    'package.json .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs pnpm-workspace.yaml deno.json deno.jsonc ' +
    'makefile gnumakefile bsdmakefile cmakelists.txt justfile .justfile taskfile.yml taskfile.yaml ' +
    'pyproject.toml setup.py setup.cfg tox.ini noxfile.py cargo.toml build.rs gemfile rakefile composer.json ' +
    'pom.xml build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradlew mvnw ' +
    'dockerfile containerfile compose.yaml compose.yml docker-compose.yaml docker-compose.yml vagrantfile ' +
    'jenkinsfile .gitlab-ci.yml .travis.yml .drone.yml appveyor.yml azure-pipelines.yml bitbucket-pipelines.yml ' +
    'cloudbuild.yaml buildspec.yml procfile tiltfile earthfile lefthook.yml lefthook.yaml .pre-commit-config.yaml ' +
    'sconstruct wscript meson.build configure build.zig flake.nix shell.nix default.nix build.bazel workspace.bazel ' +
    '.bazelrc bunfig.toml lerna.json nx.json turbo.json conftest.py sitecustomize.py usercustomize.py ' +
    '.gitconfig .gitmodules .envrc .mcp.json mise.toml .mise.toml .tool-versions ' +
    '.profile .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .zshrc .zshenv .zprofile .zlogin .zlogout ' +
    '.kshrc .cshrc .tcshrc .login .xprofile .xinitrc .xsession .vimrc .exrc .emacs .tmux.conf .screenrc .inputrc'
  ).split(' '),
)
/** svc's configs, `.env` files, and parts of makefiles and Dockerfiles. */
const PATTERNS = [/^svc\.config\./, /^\.svcrc(\.|$)/, /^\.env(\.|$)/, /\.mk$/, /^dockerfile\./]

/** Whether a name decides what is run, wherever the file lies. */
export const isGuardedName = (name: string): boolean => {
  const lower = name.toLowerCase()
  return FILES.has(lower) || PATTERNS.some((pattern) => pattern.test(lower))
}

/** Why a person has to be asked before a file is written; undefined where that is for the rules to say. */
export function whyAsk({ root, real, relative }: WorkspacePath, { folders, programs }: Guarded): string | undefined {
  // names are the same in any case where a file system says so
  const segments = real.slice(root.length).toLowerCase().split(/[/\\]/).filter(Boolean)
  const name = segments.at(-1) ?? ''
  const ofGit = findGitPrograms(root, foldersOfGit(real))
  if (ofGit.files.includes(real) || ofGit.folders.some((folder) => isInside(folder, real)))
    return `${show(relative)} is named by the configuration of git, which runs or obeys it`
  const lower = real.toLowerCase()
  if (folders.some((folder) => isInside(folder.toLowerCase(), lower)))
    return `${show(relative)} lies in a folder of svc's own`
  if (programs.some((program) => program.toLowerCase() === lower)) return `${show(relative)} is run by a tool`
  const folder = segments.slice(0, -1).find((segment) => GUARDED_FOLDERS.has(segment))
  if (folder !== undefined) return `${show(relative)} lies in ${folder}, whose files decide what is run`
  if (isGuardedName(name)) return `${show(relative)} decides what is run`
  return undefined
}
