/** A question that somebody could have about a package, and the folder of node_modules that holds it. */
export interface RepositoryTask {
  repository: string
  task: string
}

export const TASKS: readonly RepositoryTask[] = [
  { repository: 'tapable', task: 'Explain the architecture of this repository' },
  { repository: 'cac', task: 'What are the entry points of this package?' },
  { repository: 'eventemitter3', task: 'Where is removeListener defined and what does it do?' },
  {
    repository: 'picocolors',
    task: 'Under which license may I use this package, and which dependencies does it bring?',
  },
  { repository: 'uvu', task: 'Which dependencies does this package have, in which versions?' },
]
