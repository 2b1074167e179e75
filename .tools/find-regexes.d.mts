export declare function findRegexes(file: string): { line: number; source: string; flags: string }[]
