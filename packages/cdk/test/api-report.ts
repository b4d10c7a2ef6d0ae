import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** What the package lets its users see, as text, and where that breaks the house's rules. */
export interface ApiReport {
  readonly text: string;
  readonly flaws: readonly string[];
}

type Exported = ts.ClassDeclaration | ts.InterfaceDeclaration | ts.EnumDeclaration;
type Member = ts.ClassElement | ts.TypeElement | ts.EnumMember;

/** Reads the sources from the door on. Only syntax is looked at: what a user sees is what is written there. */
export function apiReport(src: string): ApiReport {
  const flaws: string[] = [];
  const parts = exportsOf(src).map((declaration) => partOf(declaration, flaws));
  const head =
    '# What `@millrace/cdk` exports\n\nWritten by a test from the sources: `npx vitest run packages/cdk/test/api -u` renews it.\n';
  return { text: [head, ...parts].join('\n'), flaws };
}

/** The declarations behind the names of `index.ts`, sorted by name. */
function exportsOf(src: string): Exported[] {
  const found: Exported[] = [];
  for (const statement of parse(join(src, 'index.ts')).statements) {
    if (!ts.isExportDeclaration(statement) || !statement.exportClause || !ts.isNamedExports(statement.exportClause)) continue;
    const file = parse(join(src, (statement.moduleSpecifier as ts.StringLiteral).text.replace(/\.js$/, '.ts')));
    const names = new Set(statement.exportClause.elements.map(({ name }) => name.text));
    for (const declaration of file.statements) {
      const isType = ts.isClassDeclaration(declaration) || ts.isInterfaceDeclaration(declaration) || ts.isEnumDeclaration(declaration);
      if (isType && declaration.name && names.delete(declaration.name.text)) found.push(declaration);
    }
    if (names.size > 0) throw new Error(`only classes, interfaces and enums can be exported for jsii, got: ${[...names].join(', ')}`);
  }
  return found.sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022, true);
}

function partOf(declaration: Exported, flaws: string[]): string {
  const name = nameOf(declaration);
  const kind = ts.isClassDeclaration(declaration) ? 'class' : ts.isInterfaceDeclaration(declaration) ? 'interface' : 'enum';
  const heritage =
    'heritageClauses' in declaration ? (declaration.heritageClauses ?? []).map((clause) => ` ${clause.getText()}`).join('') : '';
  if (docOf(declaration) === '') flaws.push(`${name} has no doc comment`);
  const members = [...(declaration.members as ts.NodeArray<Member>)].filter(isPublic);
  const lines = members.map((member) => lineOf(name, member, flaws));
  return `## ${kind} ${name}${heritage}\n\n${docOf(declaration)}\n\n${lines.join('\n')}\n`;
}

function lineOf(owner: string, member: Member, flaws: string[]): string {
  const name = ts.isConstructorDeclaration(member) ? 'constructor' : (member.name?.getText() ?? 'an index signature');
  const place = `${owner}.${name}`;
  const doc = docOf(member);
  const isInherited = has(member, ts.SyntaxKind.OverrideKeyword);
  if (doc === '' && !isInherited && !ts.isConstructorDeclaration(member)) flaws.push(`${place} has no doc comment`);
  const byDefault = defaultOf(member);
  if (ts.isPropertySignature(member) || ts.isPropertyDeclaration(member)) {
    if (!has(member, ts.SyntaxKind.ReadonlyKeyword)) flaws.push(`${place} is not readonly`);
    if (/Props|Options|Retention|Attributes$/.test(owner) && member.questionToken && byDefault === '')
      flaws.push(`${place} has no @default`);
  }
  flaws.push(...exoticTypes(member).map((type) => `${place} has a type that jsii does not know: ${type}`));
  const told = [doc, byDefault === '' ? '' : `Default: ${byDefault.replace(/^- /, '')}.`].filter((text) => text !== '').join(' ');
  return `- \`${signatureOf(member)}\`${told === '' ? '' : `: ${told}`}`;
}

/** The declaration without its body, comment and value. */
function signatureOf(member: Member): string {
  const body = 'body' in member ? (member.body as ts.Node | undefined) : undefined;
  const end = body === undefined ? member.getEnd() : body.getStart();
  const text = member.getSourceFile().text.slice(member.getStart(), end);
  return text.replace(/\s+/g, ' ').replace(/;$/, '').trim();
}

function isPublic(member: Member): boolean {
  return !has(member, ts.SyntaxKind.PrivateKeyword) && !has(member, ts.SyntaxKind.ProtectedKeyword);
}

function has(member: Member, kind: ts.SyntaxKind): boolean {
  return ts.canHaveModifiers(member) && (ts.getModifiers(member) ?? []).some((modifier) => modifier.kind === kind);
}

/** Types that other languages have not: unions, functions, and generics but lists. */
function exoticTypes(member: Member): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isBlock(node)) return;
    const isGeneric = ts.isTypeReferenceNode(node) && node.typeArguments !== undefined;
    if (ts.isUnionTypeNode(node) || ts.isIntersectionTypeNode(node) || ts.isFunctionTypeNode(node) || isGeneric) found.push(node.getText());
    ts.forEachChild(node, visit);
  };
  visit(member);
  return found;
}

function nameOf(declaration: Exported): string {
  return declaration.name?.text ?? '';
}

function docOf(node: ts.Node): string {
  const docs = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  return docs.map(({ comment }) => (ts.getTextOfJSDocComment(comment) ?? '').replace(/\s+/g, ' ').trim()).join(' ');
}

function defaultOf(node: ts.Node): string {
  const tag = ts.getJSDocTags(node).find(({ tagName }) => tagName.text === 'default');
  return (ts.getTextOfJSDocComment(tag?.comment) ?? '').replace(/\s+/g, ' ').trim();
}
