def split_notes(source):
    return source, None
