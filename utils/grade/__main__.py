"""批一个班的练习：python -m utils.grade 文件夹 [-o results.csv]

文件夹里一个学生一个文件夹（或者文件名里写着学生），里面是他存好的笔记本。写出一张表（一个学生一行，一道练习一列）
和一页总结 results.html：谁到了哪里，全班最常犯哪些错误。只读那个文件夹，不执行作答以外的格。
"""

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from utils.exercises import EXERCISES
from utils.grade.collect import find_students
from utils.grade.report import write_page, write_table
from utils.grade.sandbox import judge_student
from utils.pages.command import PageError


def main(arguments=None):
    """命令行的入口；返回退出码：0 写好了，1 写不成，2 参数不对或没有学生。"""
    sys.stdout.reconfigure(errors="replace")
    parser = argparse.ArgumentParser(prog="python -m utils grade", description="批一个班的练习。")
    parser.add_argument("folder", type=Path, metavar="文件夹", help="一个学生一个文件夹，里面是存好的笔记本")
    parser.add_argument("-o", "--output", type=Path, default=Path("results.csv"), help="表格写到哪里")
    options = parser.parse_args(arguments)
    if not options.folder.is_dir():
        print(f"没有 {options.folder} 这个文件夹。")
        return 2
    students = find_students(options.folder, EXERCISES)
    if not any(student.notebooks for student in students):
        print(f"{options.folder} 里没有找到课程的笔记本。")
        print("一个学生一个文件夹，或者文件名写成 张三_03_scaling.ipynb。")
        return 2
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = []
        for student, judged in zip(students, pool.map(_judge, students), strict=True):
            passed = sum(result["status"] == "passed" for result in judged.values())
            print(f"{student.name}：{passed} 题通过，交了 {len(student.notebooks)} 本", flush=True)
            results.append(judged)
    try:
        page = options.output.with_suffix(".html")
        write_table(options.output, students, results, EXERCISES)
        write_page(page, students, results, EXERCISES)
    except PageError as error:
        print(error)
        return 1
    print(f"写好了 {options.output.name} 和 {page.name}。")
    return 0


def _judge(student):
    return judge_student(student, EXERCISES)


if __name__ == "__main__":
    sys.exit(main())
