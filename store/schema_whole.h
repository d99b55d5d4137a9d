/* The tables of a new store.  schema_dump writes schema_whole.c while freshet
 * is built. */
#ifndef FRESHET_SCHEMA_WHOLE_H
#define FRESHET_SCHEMA_WHOLE_H

/* A script for an empty database, which makes what all steps of schema_current
 * make; like a step, it ends with PRAGMA user_version, and has no transaction.
 */
extern const char schema_whole[];

#endif
