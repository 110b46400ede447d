#pragma once
#include <stddef.h>

/// One file of the schema bundle, as it was when the program was built.
struct grain_schema_file {
  /// Its name below the schema folder, such as `v1/manifest.json`.
  const char *_Nonnull name;
  /// Its bytes; not ended by a zero.
  const unsigned char *_Nonnull bytes;
  /// How many bytes there are.
  size_t size;
};

/// The file at a place of the list, or NULL behind its end.
const struct grain_schema_file *_Nullable grain_schema_file_at(size_t index);
